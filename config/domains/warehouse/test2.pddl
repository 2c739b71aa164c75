; Three robots, two of them with a block in hand, among tall towers and single blocks.
(define (problem three-robots)
  (:domain warehouse)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 b8 b9 b10 b11 b12 b13 b14 b15 b16 - block
    left middle right - robot)
  (:init
    (ontable b1) (on b2 b1) (on b3 b2) (on b4 b3) (on b5 b4) (clear b5)
    (ontable b6) (clear b6)
    (ontable b7) (clear b7)
    (ontable b8) (on b9 b8) (clear b9)
    (ontable b10) (on b11 b10) (on b12 b11) (on b13 b12) (clear b13)
    (ontable b14) (clear b14)
    (holding b15)
    (holding b16) (destroyed b16)
    (destroyed b6) (destroyed b10)
    (handfull left) (handfull middle) (handempty right))
  (:goal (and (on b7 b14) (on b14 b15))))
