; Five towers, one with a destroyed block at its foot.
(define (problem five-towers)
  (:domain warehouse)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 b8 b9 b10 b11 b12 b13 b14 b15 b16 - block
    left right - robot)
  (:init
    (ontable b1) (on b2 b1) (on b3 b2) (clear b3)
    (ontable b4) (on b5 b4) (on b6 b5) (on b7 b6) (clear b7)
    (ontable b8) (clear b8)
    (ontable b9) (on b10 b9) (on b11 b10) (on b12 b11) (clear b12)
    (ontable b13) (on b14 b13) (on b15 b14) (on b16 b15) (clear b16)
    (destroyed b4)
    (handempty left) (handempty right))
  (:goal (and (on b1 b2) (on b16 b8))))
