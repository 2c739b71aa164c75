; The card game: columns of cards, free cells for one card each, and a home pile for each suit.
; A card of value zero stands for an empty home pile. Capabilities that end in -b take the last card of a column.
(define (domain freecell)
  (:requirements :strips :typing)
  (:types card num suit - object)
  (:predicates
    (on ?card - card ?below - card)
    (bottomcol ?card - card)
    (clear ?card - card)
    (incell ?card - card)
    (home ?card - card)                            ; on top of its home pile
    (cellspace ?number - num)                      ; as many cells are free
    (colspace ?number - num)                       ; as many columns are free
    (canstack ?card - card ?below - card)
    (suit ?card - card ?suit - suit)
    (value ?card - card ?number - num)
    (successor ?next - num ?number - num))         ; the first number is one more than the second

  (:action move
    :parameters (?card - card ?left - card ?target - card)
    :precondition (and (clear ?card) (on ?card ?left) (clear ?target) (canstack ?card ?target))
    :effect (and (not (on ?card ?left)) (clear ?left) (on ?card ?target) (not (clear ?target))))

  (:action move-b
    :parameters (?card - card ?target - card ?columns - num ?more-columns - num)
    :precondition (and
      (clear ?card) (bottomcol ?card) (clear ?target) (canstack ?card ?target)
      (colspace ?columns) (successor ?more-columns ?columns))
    :effect (and
      (not (bottomcol ?card)) (on ?card ?target) (not (clear ?target))
      (not (colspace ?columns)) (colspace ?more-columns)))

  (:action sendtofree
    :parameters (?card - card ?left - card ?cells - num ?fewer-cells - num)
    :precondition (and
      (clear ?card) (on ?card ?left)
      (cellspace ?cells) (successor ?cells ?fewer-cells))
    :effect (and
      (not (on ?card ?left)) (clear ?left) (not (clear ?card)) (incell ?card)
      (not (cellspace ?cells)) (cellspace ?fewer-cells)))

  (:action sendtofree-b
    :parameters (?card - card ?cells - num ?fewer-cells - num ?columns - num ?more-columns - num)
    :precondition (and
      (clear ?card) (bottomcol ?card)
      (cellspace ?cells) (successor ?cells ?fewer-cells)
      (colspace ?columns) (successor ?more-columns ?columns))
    :effect (and
      (not (bottomcol ?card)) (not (clear ?card)) (incell ?card)
      (not (cellspace ?cells)) (cellspace ?fewer-cells)
      (not (colspace ?columns)) (colspace ?more-columns)))

  (:action sendtonewcol
    :parameters (?card - card ?left - card ?columns - num ?fewer-columns - num)
    :precondition (and
      (clear ?card) (on ?card ?left)
      (colspace ?columns) (successor ?columns ?fewer-columns))
    :effect (and
      (not (on ?card ?left)) (clear ?left) (bottomcol ?card)
      (not (colspace ?columns)) (colspace ?fewer-columns)))

  (:action sendtohome
    :parameters (?card - card ?left - card ?suit - suit ?value - num ?top - card ?top-value - num)
    :precondition (and
      (clear ?card) (on ?card ?left) (home ?top)
      (suit ?card ?suit) (suit ?top ?suit)
      (value ?card ?value) (value ?top ?top-value) (successor ?value ?top-value))
    :effect (and
      (not (on ?card ?left)) (clear ?left) (not (clear ?card))
      (not (home ?top)) (home ?card)))

  (:action sendtohome-b
    :parameters (?card - card ?suit - suit ?value - num ?top - card ?top-value - num ?columns - num ?more-columns - num)
    :precondition (and
      (clear ?card) (bottomcol ?card) (home ?top)
      (suit ?card ?suit) (suit ?top ?suit)
      (value ?card ?value) (value ?top ?top-value) (successor ?value ?top-value)
      (colspace ?columns) (successor ?more-columns ?columns))
    :effect (and
      (not (bottomcol ?card)) (not (clear ?card))
      (not (home ?top)) (home ?card)
      (not (colspace ?columns)) (colspace ?more-columns)))

  (:action homefromfreecell
    :parameters (?card - card ?suit - suit ?value - num ?top - card ?top-value - num ?cells - num ?more-cells - num)
    :precondition (and
      (incell ?card) (home ?top)
      (suit ?card ?suit) (suit ?top ?suit)
      (value ?card ?value) (value ?top ?top-value) (successor ?value ?top-value)
      (cellspace ?cells) (successor ?more-cells ?cells))
    :effect (and
      (not (incell ?card))
      (not (home ?top)) (home ?card)
      (not (cellspace ?cells)) (cellspace ?more-cells)))

  (:action colfromfreecell
    :parameters (?card - card ?target - card ?cells - num ?more-cells - num)
    :precondition (and
      (incell ?card) (clear ?target) (canstack ?card ?target)
      (cellspace ?cells) (successor ?more-cells ?cells))
    :effect (and
      (not (incell ?card)) (clear ?card) (on ?card ?target) (not (clear ?target))
      (not (cellspace ?cells)) (cellspace ?more-cells)))

  (:action newcolfromfreecell
    :parameters (?card - card ?columns - num ?fewer-columns - num ?cells - num ?more-cells - num)
    :precondition (and
      (incell ?card)
      (colspace ?columns) (successor ?columns ?fewer-columns)
      (cellspace ?cells) (successor ?more-cells ?cells))
    :effect (and
      (not (incell ?card)) (clear ?card) (bottomcol ?card)
      (not (colspace ?columns)) (colspace ?fewer-columns)
      (not (cellspace ?cells)) (cellspace ?more-cells))))
