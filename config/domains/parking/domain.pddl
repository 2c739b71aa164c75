; Cars park at the curb, or in second row behind a car that is at the curb.
; Nothing forbids to park a car behind itself. It is then blocked for ever; the agent can get into such states.
(define (domain parking)
  (:requirements :strips :typing)
  (:types car curb - object)
  (:predicates
    (at_curb ?car - car)
    (at_curb_num ?car - car ?curb - curb)
    (behind_car ?car - car ?front - car)
    (car_clear ?car - car)
    (curb_clear ?curb - curb))

  (:action move-curb-to-curb
    :parameters (?car - car ?from - curb ?to - curb)
    :precondition (and (at_curb_num ?car ?from) (car_clear ?car) (curb_clear ?to))
    :effect (and
      (not (at_curb_num ?car ?from)) (at_curb_num ?car ?to)
      (not (curb_clear ?to)) (curb_clear ?from)))

  (:action move-curb-to-car
    :parameters (?car - car ?from - curb ?front - car)
    :precondition (and (at_curb_num ?car ?from) (car_clear ?car) (at_curb ?front) (car_clear ?front))
    :effect (and
      (not (at_curb_num ?car ?from)) (not (at_curb ?car)) (behind_car ?car ?front)
      (not (car_clear ?front)) (curb_clear ?from)))

  (:action move-car-to-curb
    :parameters (?car - car ?from - car ?to - curb)
    :precondition (and (behind_car ?car ?from) (car_clear ?car) (curb_clear ?to))
    :effect (and
      (not (behind_car ?car ?from)) (at_curb ?car) (at_curb_num ?car ?to)
      (not (curb_clear ?to)) (car_clear ?from)))

  (:action move-car-to-car
    :parameters (?car - car ?from - car ?front - car)
    :precondition (and (behind_car ?car ?from) (car_clear ?car) (at_curb ?front) (car_clear ?front))
    :effect (and
      (not (behind_car ?car ?from)) (behind_car ?car ?front)
      (not (car_clear ?front)) (car_clear ?from))))
