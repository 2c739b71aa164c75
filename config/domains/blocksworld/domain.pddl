; One hand builds towers of blocks on a table that has room for all of them.
(define (domain blocksworld)
  (:requirements :strips :typing)
  (:types block - object)
  (:predicates
    (on ?upper - block ?lower - block)
    (ontable ?block - block)
    (clear ?block - block)
    (holding ?block - block)
    (handempty))

  (:action pick-up
    :parameters (?block - block)
    :precondition (and (handempty) (ontable ?block) (clear ?block))
    :effect (and (holding ?block) (not (handempty)) (not (ontable ?block)) (not (clear ?block))))

  (:action put-down
    :parameters (?block - block)
    :precondition (holding ?block)
    :effect (and (ontable ?block) (clear ?block) (handempty) (not (holding ?block))))

  (:action stack
    :parameters (?block - block ?base - block)
    :precondition (and (holding ?block) (clear ?base))
    :effect (and (on ?block ?base) (clear ?block) (handempty) (not (holding ?block)) (not (clear ?base))))

  (:action unstack
    :parameters (?block - block ?base - block)
    :precondition (and (handempty) (on ?block ?base) (clear ?block))
    :effect (and (holding ?block) (clear ?base) (not (handempty)) (not (on ?block ?base)) (not (clear ?block)))))
