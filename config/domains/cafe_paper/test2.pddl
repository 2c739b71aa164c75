; Ten tables between two docks; the robot starts among them with a flat battery.
(define (problem two-docks)
  (:domain cafe-paper)
  (:objects
    kitchen entrance - dock
    table1 table2 table3 table4 table5 table6 table7 table8 table9 table10 - location
    plate1 plate2 bowl1 bowl2 cup1 cup2 can1 - item)
  (:init
    (robot-at table5) (empty-arm)
    (at kitchen plate1) (at kitchen plate2) (at table3 bowl1)
    (at table7 bowl2) (at table10 cup1) (at entrance cup2)
    (at table1 can1))
  (:goal (and (at table9 plate2) (at kitchen bowl1))))
