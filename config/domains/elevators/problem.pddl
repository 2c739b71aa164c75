; Two floors of three positions; the lift opens to the door and the desk, and a coin lies upstairs.
(define (problem two-floors)
  (:domain elevators)
  (:objects
    ground upper - floor
    door desk stairs - pos
    lift - elevator
    penny - coin)
  (:init
    (at ground door)
    (in lift ground)
    (is-first-floor ground)
    (is-first-position door)
    (dec_f upper ground)
    (dec_p desk door) (dec_p stairs desk)
    (shaft lift door) (shaft lift desk)
    (gate ground desk)
    (gate upper stairs)
    (coin-at penny upper stairs))
  (:goal (have penny)))
