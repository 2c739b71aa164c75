; A lift collects passengers where they wait and lets them out where they want to go.
; No capability reads or changes not_boarded and not_served; an examiner has to find that out.
(define (domain miconic)
  (:requirements :strips :typing)
  (:types passenger floor - object)
  (:predicates
    (lift_at ?floor - floor)
    (above ?lower - floor ?upper - floor)          ; the second floor is the higher one
    (origin ?passenger - passenger ?floor - floor)
    (destin ?passenger - passenger ?floor - floor)
    (boarded ?passenger - passenger)
    (not_boarded ?passenger - passenger)
    (served ?passenger - passenger)
    (not_served ?passenger - passenger))

  ; The origin is not forgotten: someone who has arrived may board again, and stays served.
  (:action board
    :parameters (?floor - floor ?passenger - passenger)
    :precondition (and (origin ?passenger ?floor) (lift_at ?floor))
    :effect (boarded ?passenger))

  (:action depart
    :parameters (?floor - floor ?passenger - passenger)
    :precondition (and (boarded ?passenger) (destin ?passenger ?floor) (lift_at ?floor))
    :effect (and (served ?passenger) (not (boarded ?passenger))))

  (:action up
    :parameters (?here - floor ?there - floor)
    :precondition (and (above ?here ?there) (lift_at ?here))
    :effect (and (not (lift_at ?here)) (lift_at ?there)))

  (:action down
    :parameters (?here - floor ?there - floor)
    :precondition (and (above ?there ?here) (lift_at ?here))
    :effect (and (not (lift_at ?here)) (lift_at ?there))))
