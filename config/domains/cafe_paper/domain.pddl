; A cafe robot in the words of the QACE paper: picking can fail or use up the charge, which a dock gives back.
(define (domain cafe-paper)
  (:requirements :strips :typing :negative-preconditions :probabilistic-effects)
  (:types
    location item - object
    dock - location)
  (:predicates
    (robot-at ?location - location)
    (empty-arm)
    (has-charge)
    (at ?location - location ?item - item)
    (holding ?item - item))

  (:action pick-item
    :parameters (?location - location ?item - item)
    :precondition (and (robot-at ?location) (at ?location ?item) (empty-arm) (has-charge))
    :effect (probabilistic
      0.7 (and (holding ?item) (not (at ?location ?item)) (not (empty-arm)))
      0.2 (not (has-charge))))

  (:action place-item
    :parameters (?location - location ?item - item)
    :precondition (and (robot-at ?location) (holding ?item))
    :effect (and (at ?location ?item) (empty-arm) (not (holding ?item))))

  (:action move
    :parameters (?source - location ?destination - location)
    :precondition (robot-at ?source)
    :effect (and (robot-at ?destination) (not (robot-at ?source))))

  (:action recharge
    :parameters (?dock - dock)
    :precondition (and (robot-at ?dock) (not (has-charge)))
    :effect (has-charge)))
