; A yard of two rows, the depot in a corner.
(define (problem yard)
  (:domain termes)
  (:objects
    gate a2 a3 b1 b2 b3 - position
    n0 n1 n2 - numb)
  (:init
    (succ n1 n0) (succ n2 n1)
    (neighbor gate a2) (neighbor a2 gate) (neighbor a2 a3) (neighbor a3 a2)
    (neighbor b1 b2) (neighbor b2 b1) (neighbor b2 b3) (neighbor b3 b2)
    (neighbor gate b1) (neighbor b1 gate) (neighbor a2 b2) (neighbor b2 a2) (neighbor a3 b3) (neighbor b3 a3)
    (is_depot gate) (at gate)
    (height gate n0) (height a2 n0) (height a3 n0)
    (height b1 n0) (height b2 n0) (height b3 n0))
  (:goal (and (height b3 n2) (height a3 n1) (not (has_block)))))
