; Two robots with four grippers between them serve seven tables, a bar and a terrace.
(define (problem two-waiters)
  (:domain cafe-released)
  (:objects
    counter bar terrace table1 table2 table3 table4 table5 table6 table7 - location
    can1 can2 can3 can4 can5 can6 can7 can8 - can
    left right upper lower - manipulator
    waiter runner - robot)
  (:init
    (at counter waiter) (at bar runner)
    (teleported counter waiter) (teleported bar runner) (teleported table1 runner)
    (empty left) (empty right) (empty upper) (empty lower)
    (order can1 counter) (order can2 counter) (order can3 bar)
    (order can4 bar) (order can5 bar) (order can6 table1)
    (order can7 table4) (order can8 terrace))
  (:goal (and (order can1 terrace) (order can8 counter))))
