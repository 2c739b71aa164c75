; A two-handed barman fills shots at dispensers and mixes cocktails in a shaker.
(define (domain barman)
  (:requirements :strips :typing)
  (:types
    hand level dispenser beverage container - object
    ingredient cocktail - beverage
    shot shaker - container)
  (:predicates
    (handempty ?hand - hand)
    (holding ?hand - hand ?container - container)
    (ontable ?container - container)
    (empty ?container - container)
    (clean ?container - container)
    (contains ?container - container ?drink - beverage)
    (used ?container - container ?drink - beverage)
    (dispenses ?dispenser - dispenser ?ingredient - ingredient)
    (cocktail-part1 ?cocktail - cocktail ?ingredient - ingredient)
    (cocktail-part2 ?cocktail - cocktail ?ingredient - ingredient)
    (shaked ?shaker - shaker)
    (unshaked ?shaker - shaker)
    (shaker-level ?shaker - shaker ?level - level)
    (shaker-empty-level ?shaker - shaker ?level - level)
    (next ?level - level ?above - level))

  (:action grasp
    :parameters (?hand - hand ?container - container)
    :precondition (and (handempty ?hand) (ontable ?container))
    :effect (and (holding ?hand ?container) (not (handempty ?hand)) (not (ontable ?container))))

  (:action leave
    :parameters (?hand - hand ?container - container)
    :precondition (holding ?hand ?container)
    :effect (and (ontable ?container) (handempty ?hand) (not (holding ?hand ?container))))

  (:action fill-shot
    :parameters (?shot - shot ?ingredient - ingredient ?holder - hand ?other - hand ?dispenser - dispenser)
    :precondition (and
      (holding ?holder ?shot) (handempty ?other) (dispenses ?dispenser ?ingredient)
      (clean ?shot) (empty ?shot))
    :effect (and
      (contains ?shot ?ingredient) (used ?shot ?ingredient)
      (not (clean ?shot)) (not (empty ?shot))))

  ; A used shot need not be cleaned for more of the same.
  (:action refill-shot
    :parameters (?shot - shot ?ingredient - ingredient ?holder - hand ?other - hand ?dispenser - dispenser)
    :precondition (and
      (holding ?holder ?shot) (handempty ?other) (dispenses ?dispenser ?ingredient)
      (used ?shot ?ingredient) (empty ?shot))
    :effect (and (contains ?shot ?ingredient) (not (empty ?shot))))

  (:action empty-shot
    :parameters (?hand - hand ?shot - shot ?drink - beverage)
    :precondition (and (holding ?hand ?shot) (contains ?shot ?drink))
    :effect (and (empty ?shot) (not (contains ?shot ?drink))))

  (:action clean-shot
    :parameters (?shot - shot ?drink - beverage ?holder - hand ?other - hand)
    :precondition (and (holding ?holder ?shot) (handempty ?other) (used ?shot ?drink) (empty ?shot))
    :effect (and (clean ?shot) (not (used ?shot ?drink))))

  (:action pour-shot-to-clean-shaker
    :parameters (?shot - shot ?ingredient - ingredient ?shaker - shaker ?hand - hand ?level - level ?risen - level)
    :precondition (and
      (holding ?hand ?shot) (contains ?shot ?ingredient)
      (clean ?shaker) (empty ?shaker) (shaker-level ?shaker ?level) (next ?level ?risen))
    :effect (and
      (empty ?shot) (not (contains ?shot ?ingredient))
      (contains ?shaker ?ingredient) (unshaked ?shaker) (not (clean ?shaker)) (not (empty ?shaker))
      (shaker-level ?shaker ?risen) (not (shaker-level ?shaker ?level))))

  (:action pour-shot-to-used-shaker
    :parameters (?shot - shot ?ingredient - ingredient ?shaker - shaker ?hand - hand ?level - level ?risen - level)
    :precondition (and
      (holding ?hand ?shot) (contains ?shot ?ingredient)
      (unshaked ?shaker) (shaker-level ?shaker ?level) (next ?level ?risen))
    :effect (and
      (empty ?shot) (not (contains ?shot ?ingredient))
      (contains ?shaker ?ingredient)
      (shaker-level ?shaker ?risen) (not (shaker-level ?shaker ?level))))

  (:action empty-shaker
    :parameters (?hand - hand ?shaker - shaker ?cocktail - cocktail ?level - level ?bottom - level)
    :precondition (and
      (holding ?hand ?shaker) (shaked ?shaker) (contains ?shaker ?cocktail)
      (shaker-level ?shaker ?level) (shaker-empty-level ?shaker ?bottom))
    :effect (and
      (empty ?shaker) (not (shaked ?shaker)) (not (contains ?shaker ?cocktail))
      (not (shaker-level ?shaker ?level)) (shaker-level ?shaker ?bottom)))

  (:action clean-shaker
    :parameters (?holder - hand ?other - hand ?shaker - shaker)
    :precondition (and (holding ?holder ?shaker) (handempty ?other) (empty ?shaker))
    :effect (clean ?shaker))

  (:action shake
    :parameters (?cocktail - cocktail ?one - ingredient ?two - ingredient ?shaker - shaker ?holder - hand ?other - hand)
    :precondition (and
      (holding ?holder ?shaker) (handempty ?other) (unshaked ?shaker)
      (contains ?shaker ?one) (cocktail-part1 ?cocktail ?one)
      (contains ?shaker ?two) (cocktail-part2 ?cocktail ?two))
    :effect (and
      (shaked ?shaker) (not (unshaked ?shaker))
      (contains ?shaker ?cocktail) (not (contains ?shaker ?one)) (not (contains ?shaker ?two))))

  ; The shaker keeps its taste to the last drop, and a shot that held a cocktail does not count as used:
  ; it can be emptied but not cleaned.
  (:action pour-shaker-to-shot
    :parameters (?drink - beverage ?shot - shot ?hand - hand ?shaker - shaker ?level - level ?sunk - level)
    :precondition (and
      (holding ?hand ?shaker) (shaked ?shaker) (contains ?shaker ?drink)
      (shaker-level ?shaker ?level) (next ?sunk ?level)
      (clean ?shot) (empty ?shot))
    :effect (and
      (contains ?shot ?drink) (not (clean ?shot)) (not (empty ?shot))
      (shaker-level ?shaker ?sunk) (not (shaker-level ?shaker ?level)))))
