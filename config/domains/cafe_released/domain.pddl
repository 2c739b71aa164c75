; A cafe robot that serves cans, in the words of QACE's released program: a grasp may fail and leave all as it was.
(define (domain cafe-released)
  (:requirements :strips :typing :negative-preconditions :probabilistic-effects)
  (:types manipulator can location robot)
  (:predicates
    (empty ?gripper - manipulator)
    (ingripper ?obj - can ?gripper - manipulator)
    (at ?loc - location ?r - robot)
    (teleported ?loc - location ?r - robot)
    (order ?obj - can ?loc - location))

  (:action teleport
    :parameters (?loc - location ?r - robot)
    :precondition (not (teleported ?loc ?r))
    :effect (and (at ?loc ?r) (teleported ?loc ?r)))

  (:action move
    :parameters (?from - location ?to - location ?r - robot)
    :precondition (at ?from ?r)
    :effect (and (at ?to ?r) (not (at ?from ?r))))

  (:action grasp
    :parameters (?g - manipulator ?loc - location ?obj - can ?r - robot)
    :precondition (and (at ?loc ?r) (empty ?g) (order ?obj ?loc))
    :effect (probabilistic
      0.8 (and (ingripper ?obj ?g) (not (empty ?g)) (not (order ?obj ?loc)))
      0.2 (empty ?g)))

  (:action put
    :parameters (?g - manipulator ?loc - location ?obj - can ?r - robot)
    :precondition (and (at ?loc ?r) (ingripper ?obj ?g))
    :effect (and (empty ?g) (order ?obj ?loc) (not (ingripper ?obj ?g)))))
