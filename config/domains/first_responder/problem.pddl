; The harbour burns. The clinic has water; the station lies in between.
(define (problem three-places)
  (:domain first-responder)
  (:objects
    clinic station harbour - location
    engine - fire_unit
    ambulance - medical_unit
    ann bob - victim)
  (:init
    (adjacent clinic station) (adjacent station clinic)
    (adjacent station harbour) (adjacent harbour station)
    (hospital clinic)
    (water-at clinic)
    (fire harbour) (nfire clinic) (nfire station)
    (fire-unit-at engine station)
    (medical-unit-at ambulance station)
    (victim-at ann station) (victim-hurt ann)
    (victim-at bob harbour) (victim-hurt bob))
  (:goal (and (nfire harbour) (victim-healthy ann) (victim-healthy bob))))
