; Eighteen towns on a ring road, with one-way shortcuts across it; every third town has no spare.
(define (problem ring-road)
  (:domain driver)
  (:objects
    town1 town2 town3 town4 town5 town6 town7 town8 town9 - location
    town10 town11 town12 town13 town14 town15 town16 town17 town18 - location)
  (:init
    (vehicle-at town1) (not-flattire)
    (road town1 town2) (road town2 town1) (road town2 town3) (road town3 town2)
    (road town3 town4) (road town4 town3) (road town4 town5) (road town5 town4)
    (road town5 town6) (road town6 town5) (road town6 town7) (road town7 town6)
    (road town7 town8) (road town8 town7) (road town8 town9) (road town9 town8)
    (road town9 town10) (road town10 town9) (road town10 town11) (road town11 town10)
    (road town11 town12) (road town12 town11) (road town12 town13) (road town13 town12)
    (road town13 town14) (road town14 town13) (road town14 town15) (road town15 town14)
    (road town15 town16) (road town16 town15) (road town16 town17) (road town17 town16)
    (road town17 town18) (road town18 town17) (road town18 town1) (road town1 town18)
    (road town1 town6) (road town4 town9) (road town7 town12)
    (road town10 town15) (road town13 town18)
    (spare-in town1) (spare-in town2) (spare-in town4) (spare-in town5)
    (spare-in town7) (spare-in town8) (spare-in town10) (spare-in town11)
    (spare-in town13) (spare-in town14) (spare-in town16) (spare-in town17))
  (:goal (vehicle-at town10)))
