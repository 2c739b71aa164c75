(define (problem one-table)
  (:domain cafe-robot)
  (:objects
    counter - dock
    table1 - location
    cup bowl - item)
  (:init
    (robot-at counter)
    (at cup counter)
    (at bowl table1)
    (empty-arm)
    (charged))
  (:goal (at cup table1)))
