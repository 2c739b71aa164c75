; Two tables and a counter with the charger; a plate is to be served, a can to be brought back.
(define (problem two-tables)
  (:domain cafe-paper)
  (:objects
    counter - dock
    table-red table-blue - location
    plate can - item)
  (:init
    (robot-at counter)
    (empty-arm)
    (has-charge)
    (at counter plate)
    (at table-red can))
  (:goal (and (at table-blue plate) (at counter can))))
