(define (problem three-passengers)
  (:domain miconic)
  (:objects
    ground first second third - floor
    ada ben cleo - passenger)
  (:init
    (lift_at first)
    (above ground first) (above ground second) (above ground third)
    (above first second) (above first third)
    (above second third)
    (origin ada ground) (destin ada third)
    (origin ben second) (destin ben ground)
    (origin cleo second) (destin cleo third))
  (:goal (and (served ada) (served ben) (served cleo))))
