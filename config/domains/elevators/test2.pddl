; Five floors with ten positions each; three elevators far apart.
(define (problem long-corridors)
  (:domain elevators)
  (:objects
    f1 f2 f3 f4 f5 - floor
    p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 - pos
    e1 e2 e3 - elevator
    c1 c2 c3 c4 c5 - coin)
  (:init
    (at f1 p1) (is-first-floor f1) (is-first-position p1)
    (dec_f f2 f1) (dec_f f3 f2) (dec_f f4 f3) (dec_f f5 f4)
    (dec_p p2 p1) (dec_p p3 p2) (dec_p p4 p3) (dec_p p5 p4)
    (dec_p p6 p5) (dec_p p7 p6) (dec_p p8 p7) (dec_p p9 p8)
    (dec_p p10 p9)
    (shaft e1 p1) (in e1 f2) (shaft e2 p5) (in e2 f1)
    (shaft e3 p10) (in e3 f4)
    (gate f1 p2) (gate f1 p7) (gate f2 p4) (gate f2 p9)
    (gate f3 p6) (gate f4 p3) (gate f4 p8) (gate f5 p5)
    (coin-at c1 f1 p3) (coin-at c2 f2 p9) (coin-at c3 f3 p1)
    (coin-at c4 f4 p10) (coin-at c5 f5 p6))
  (:goal (and (have c2) (have c5))))
