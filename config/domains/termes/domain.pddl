; A robot builds with blocks that it fetches at a depot. It climbs one block up or down at a time, and can carry one.
(define (domain termes)
  (:requirements :strips :typing :negative-preconditions)
  (:types numb position - object)
  (:predicates
    (at ?place - position)
    (height ?place - position ?level - numb)
    (has_block)
    (succ ?next - numb ?number - numb)             ; the first number is one more than the second
    (neighbor ?place - position ?beside - position)
    (is_depot ?place - position))

  (:action move
    :parameters (?here - position ?there - position ?level - numb)
    :precondition (and (at ?here) (neighbor ?here ?there) (height ?here ?level) (height ?there ?level))
    :effect (and (not (at ?here)) (at ?there)))

  (:action move_up
    :parameters (?here - position ?low - numb ?there - position ?high - numb)
    :precondition (and
      (at ?here) (neighbor ?here ?there)
      (height ?here ?low) (height ?there ?high) (succ ?high ?low))
    :effect (and (not (at ?here)) (at ?there)))

  (:action move_down
    :parameters (?here - position ?high - numb ?there - position ?low - numb)
    :precondition (and
      (at ?here) (neighbor ?here ?there)
      (height ?here ?high) (height ?there ?low) (succ ?high ?low))
    :effect (and (not (at ?here)) (at ?there)))

  ; Blocks are laid in front of the robot at its own level, never on the depot.
  (:action place_block
    :parameters (?here - position ?site - position ?level - numb ?raised - numb)
    :precondition (and
      (has_block) (at ?here) (neighbor ?here ?site) (not (is_depot ?site))
      (height ?here ?level) (height ?site ?level) (succ ?raised ?level))
    :effect (and (not (has_block)) (not (height ?site ?level)) (height ?site ?raised)))

  (:action remove_block
    :parameters (?here - position ?site - position ?raised - numb ?level - numb)
    :precondition (and
      (not (has_block)) (at ?here) (neighbor ?here ?site)
      (height ?here ?level) (height ?site ?raised) (succ ?raised ?level))
    :effect (and (has_block) (not (height ?site ?raised)) (height ?site ?level)))

  (:action create_block
    :parameters (?depot - position)
    :precondition (and (at ?depot) (is_depot ?depot) (not (has_block)))
    :effect (has_block))

  (:action destroy_block
    :parameters (?depot - position)
    :precondition (and (at ?depot) (is_depot ?depot) (has_block))
    :effect (not (has_block))))
