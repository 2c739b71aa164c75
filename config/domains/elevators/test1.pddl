; Seven floors with six positions each; the two elevators run side by side in the middle.
(define (problem office-block)
  (:domain elevators)
  (:objects
    f1 f2 f3 f4 f5 f6 f7 - floor
    p1 p2 p3 p4 p5 p6 - pos
    e1 e2 - elevator
    c1 c2 c3 c4 c5 c6 - coin)
  (:init
    (at f1 p1) (is-first-floor f1) (is-first-position p1)
    (dec_f f2 f1) (dec_f f3 f2) (dec_f f4 f3) (dec_f f5 f4)
    (dec_f f6 f5) (dec_f f7 f6)
    (dec_p p2 p1) (dec_p p3 p2) (dec_p p4 p3) (dec_p p5 p4)
    (dec_p p6 p5)
    (shaft e1 p3) (in e1 f1) (shaft e2 p4) (in e2 f5)
    (gate f1 p2) (gate f1 p5) (gate f2 p4) (gate f3 p2)
    (gate f3 p3) (gate f4 p5) (gate f5 p2) (gate f6 p4)
    (gate f7 p5)
    (coin-at c1 f1 p6) (coin-at c2 f2 p1) (coin-at c3 f3 p5)
    (coin-at c4 f4 p2) (coin-at c5 f6 p6) (coin-at c6 f7 p1))
  (:goal (and (have c1) (have c6))))
