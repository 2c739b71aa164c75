; A robot with several hands carries balls from room to room. Every room can be reached from every other.
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball gripper - object)
  (:predicates
    (at_robby ?room - room)
    (at ?ball - ball ?room - room)
    (free ?hand - gripper)
    (carry ?ball - ball ?hand - gripper))

  (:action move
    :parameters (?here - room ?there - room)
    :precondition (at_robby ?here)
    :effect (and (not (at_robby ?here)) (at_robby ?there)))

  (:action pick
    :parameters (?ball - ball ?room - room ?hand - gripper)
    :precondition (and (at_robby ?room) (at ?ball ?room) (free ?hand))
    :effect (and (not (at ?ball ?room)) (not (free ?hand)) (carry ?ball ?hand)))

  (:action drop
    :parameters (?ball - ball ?room - room ?hand - gripper)
    :precondition (and (at_robby ?room) (carry ?ball ?hand))
    :effect (and (not (carry ?ball ?hand)) (free ?hand) (at ?ball ?room))))
