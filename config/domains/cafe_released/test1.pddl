; Eight tables and ten cans, most of them still on the counter.
(define (problem eight-tables)
  (:domain cafe-released)
  (:objects
    counter table1 table2 table3 table4 table5 table6 table7 table8 - location
    can1 can2 can3 can4 can5 can6 can7 can8 can9 can10 - can
    left right - manipulator
    waiter - robot)
  (:init
    (at counter waiter)
    (teleported counter waiter)
    (empty left) (empty right)
    (order can1 counter) (order can2 counter) (order can3 counter)
    (order can4 counter) (order can5 counter) (order can6 counter)
    (order can7 table2) (order can8 table3) (order can9 table5)
    (order can10 table8))
  (:goal (and (order can1 table1) (order can2 table7))))
