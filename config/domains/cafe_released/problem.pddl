(define (problem counter-and-table)
  (:domain cafe-released)
  (:objects
    counter table - location
    cola lemonade - can
    left right - manipulator
    waiter - robot)
  (:init
    (at counter waiter)
    (empty left)
    (empty right)
    (order cola counter)
    (order lemonade table))
  (:goal (and (order cola table) (order lemonade counter))))
