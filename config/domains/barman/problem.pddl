(define (problem one-cocktail)
  (:domain barman)
  (:objects
    left right - hand
    glass cup - shot
    tin - shaker
    rum lime - ingredient
    daiquiri - cocktail
    rum-tap lime-tap - dispenser
    none half full - level)
  (:init
    (handempty left) (handempty right)
    (ontable glass) (clean glass) (empty glass)
    (ontable cup) (clean cup) (empty cup)
    (ontable tin) (clean tin) (empty tin)
    (shaker-level tin none) (shaker-empty-level tin none)
    (next none half) (next half full)
    (dispenses rum-tap rum) (dispenses lime-tap lime)
    (cocktail-part1 daiquiri rum) (cocktail-part2 daiquiri lime))
  (:goal (and (contains glass daiquiri) (contains cup lime))))
