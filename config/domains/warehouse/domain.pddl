; Robots that stack blocks (Explodingblocks): a block put down may blow up the table or the block beneath it.
(define (domain warehouse)
  (:requirements :strips :typing :negative-preconditions :probabilistic-effects)
  (:types block robot)
  (:predicates
    (on ?x - block ?y - block)
    (ontable ?x - block)
    (clear ?x - block)
    (handempty ?robot - robot)
    (handfull ?robot - robot)
    (holding ?x - block)
    (destroyed ?x - block)
    (table-destroyed))

  (:action pick-up
    :parameters (?x - block ?robot - robot)
    :precondition (and
      (clear ?x) (ontable ?x) (handempty ?robot)
      (not (destroyed ?x)) (not (table-destroyed)))
    :effect (and
      (holding ?x) (handfull ?robot)
      (not (clear ?x)) (not (ontable ?x)) (not (handempty ?robot))))

  (:action put-down
    :parameters (?x - block ?robot - robot)
    :precondition (and (holding ?x) (handfull ?robot) (not (table-destroyed)))
    :effect (and
      (clear ?x) (ontable ?x) (handempty ?robot)
      (not (holding ?x)) (not (handfull ?robot))
      (probabilistic 0.1 (table-destroyed))))

  (:action stack
    :parameters (?x - block ?y - block ?robot - robot)
    :precondition (and
      (holding ?x) (handfull ?robot) (clear ?y)
      (not (destroyed ?y)) (not (table-destroyed)))
    :effect (and
      (on ?x ?y) (clear ?x) (handempty ?robot)
      (not (holding ?x)) (not (handfull ?robot)) (not (clear ?y))
      (probabilistic 0.1 (destroyed ?y))))

  (:action unstack
    :parameters (?x - block ?y - block ?robot - robot)
    :precondition (and
      (on ?x ?y) (clear ?x) (handempty ?robot)
      (not (destroyed ?x)) (not (table-destroyed)))
    :effect (and
      (holding ?x) (handfull ?robot) (clear ?y)
      (not (on ?x ?y)) (not (clear ?x)) (not (handempty ?robot)))))
