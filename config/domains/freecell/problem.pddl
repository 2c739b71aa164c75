; Two suits of three cards (the spades black, the hearts red), two free cells and three columns.
(define (problem six-cards)
  (:domain freecell)
  (:objects
    n0 n1 n2 n3 - num
    spades hearts - suit
    s0 s1 s2 s3 h0 h1 h2 h3 - card)
  (:init
    (successor n1 n0) (successor n2 n1) (successor n3 n2)
    (suit s0 spades) (suit s1 spades) (suit s2 spades) (suit s3 spades)
    (suit h0 hearts) (suit h1 hearts) (suit h2 hearts) (suit h3 hearts)
    (value s0 n0) (value s1 n1) (value s2 n2) (value s3 n3)
    (value h0 n0) (value h1 n1) (value h2 n2) (value h3 n3)
    (canstack s1 h2) (canstack s2 h3) (canstack h1 s2) (canstack h2 s3)
    (home s0) (home h0)
    (cellspace n2) (colspace n0)
    (bottomcol h1) (on h2 h1) (on s1 h2) (clear s1)
    (bottomcol s2) (on s3 s2) (clear s3)
    (bottomcol h3) (clear h3))
  (:goal (and (home s3) (home h3))))
