; A driver on bad roads (Tireworld): a drive mostly ends with a flat tyre, which only a spare on the spot can mend.
(define (domain driver)
  (:requirements :strips :typing :negative-preconditions :probabilistic-effects)
  (:types location)
  (:predicates
    (vehicle-at ?loc - location)
    (spare-in ?loc - location)
    (road ?from - location ?to - location)
    (not-flattire))

  (:action move-car
    :parameters (?from - location ?to - location)
    :precondition (and (vehicle-at ?from) (road ?from ?to) (not-flattire))
    :effect (and
      (vehicle-at ?to)
      (not (vehicle-at ?from))
      (probabilistic 0.8 (not (not-flattire)))))

  (:action changetire
    :parameters (?loc - location)
    :precondition (and (vehicle-at ?loc) (spare-in ?loc) (not (not-flattire)))
    :effect (and (not-flattire) (not (spare-in ?loc)))))
