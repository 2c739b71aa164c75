(define (problem four-balls)
  (:domain gripper)
  (:objects
    kitchen hall - room
    red green blue white - ball
    left right - gripper)
  (:init
    (at_robby hall)
    (at red kitchen) (at green kitchen) (at blue kitchen) (at white hall)
    (free left) (free right))
  (:goal (and (at red hall) (at green hall) (at white kitchen))))
