(define (problem four-cars)
  (:domain parking)
  (:objects
    van taxi jeep mini - car
    north middle south - curb)
  (:init
    (at_curb van) (at_curb_num van north)
    (behind_car taxi van) (car_clear taxi)
    (at_curb jeep) (at_curb_num jeep middle)
    (behind_car mini jeep) (car_clear mini)
    (curb_clear south))
  (:goal (and (at_curb_num taxi north) (behind_car jeep taxi) (at_curb_num mini south) (behind_car van mini))))
