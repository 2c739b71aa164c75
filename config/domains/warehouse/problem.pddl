; Two stacked blocks and a single one; the arm is free.
(define (problem three-blocks)
  (:domain warehouse)
  (:objects
    a b c - block
    arm - robot)
  (:init
    (ontable a) (on b a) (clear b)
    (ontable c) (clear c)
    (handempty arm))
  (:goal (and (on b c) (on c a))))
