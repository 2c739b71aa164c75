; Six tables, one dock; plates wait on the counter and used cups on the tables.
(define (problem six-tables)
  (:domain cafe-paper)
  (:objects
    counter - dock
    table1 table2 table3 table4 table5 table6 - location
    plate1 plate2 plate3 cup1 cup2 cup3 can1 can2 - item)
  (:init
    (robot-at counter) (empty-arm) (has-charge)
    (at counter plate1) (at counter plate2) (at counter plate3)
    (at table1 cup1) (at table1 cup2) (at table4 cup3)
    (at table5 can1) (at table6 can2))
  (:goal (and (at table2 plate1) (at counter cup3))))
