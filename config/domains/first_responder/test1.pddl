; A town along one road with a few turnings: two hospitals, two places with water, four fires.
(define (problem old-town)
  (:domain first-responder)
  (:objects
    station clinic bridge market school - location
    museum park quay mill church - location
    depot tower - location
    engine1 engine2 - fire_unit
    ambulance1 ambulance2 - medical_unit
    ann bob cleo dan eve - victim)
  (:init
    (adjacent station clinic) (adjacent clinic station) (adjacent clinic bridge) (adjacent bridge clinic)
    (adjacent bridge market) (adjacent market bridge) (adjacent market school) (adjacent school market)
    (adjacent school museum) (adjacent museum school) (adjacent museum park) (adjacent park museum)
    (adjacent park quay) (adjacent quay park) (adjacent quay mill) (adjacent mill quay)
    (adjacent mill church) (adjacent church mill) (adjacent church depot) (adjacent depot church)
    (adjacent depot tower) (adjacent tower depot) (adjacent station bridge) (adjacent bridge station)
    (adjacent market park) (adjacent park market) (adjacent quay depot) (adjacent depot quay)
    (adjacent tower station)
    (hospital clinic) (hospital church)
    (water-at station) (water-at quay)
    (fire market) (fire museum) (fire mill) (fire tower)
    (nfire station) (nfire clinic) (nfire bridge) (nfire school)
    (nfire park) (nfire quay) (nfire church) (nfire depot)
    (fire-unit-at engine1 station) (fire-unit-at engine2 quay)
    (medical-unit-at ambulance1 clinic) (medical-unit-at ambulance2 church)
    (victim-at ann bridge) (victim-hurt ann)
    (victim-at bob market) (victim-hurt bob)
    (victim-at cleo museum) (victim-dying cleo)
    (victim-at dan park) (victim-hurt dan)
    (victim-at eve church) (victim-hurt eve))
  (:goal (and (nfire market) (victim-healthy ann) (victim-healthy cleo))))
