; A robot that serves a cafe. It needs charge to pick, and a grip can slip or cost the last charge.
(define (domain cafe-robot)
  (:requirements :strips :typing :negative-preconditions :probabilistic-effects)
  (:types
    location item - object
    dock - location)
  (:predicates
    (robot-at ?place - location)
    (at ?item - item ?place - location)
    (holding ?item - item)
    (empty-arm)
    (charged))

  (:action drive
    :parameters (?from - location ?to - location)
    :precondition (robot-at ?from)
    :effect (and (not (robot-at ?from)) (robot-at ?to)))

  (:action pick
    :parameters (?item - item ?place - location)
    :precondition (and (robot-at ?place) (at ?item ?place) (empty-arm) (charged))
    :effect (probabilistic
      0.7 (and (holding ?item) (not (at ?item ?place)) (not (empty-arm)))
      0.2 (not (charged))))

  (:action place
    :parameters (?item - item ?place - location)
    :precondition (and (robot-at ?place) (holding ?item))
    :effect (and (at ?item ?place) (not (holding ?item)) (empty-arm)))

  (:action charge
    :parameters (?place - dock)
    :precondition (and (robot-at ?place) (not (charged)))
    :effect (charged)))
