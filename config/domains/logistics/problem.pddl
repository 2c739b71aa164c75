(define (problem two-cities)
  (:domain logistics)
  (:objects
    turin lyon - city
    caselle bron - airport
    museum depot - location
    fiat renault - truck
    jet - airplane
    vase crate - package)
  (:init
    (in-city caselle turin) (in-city museum turin)
    (in-city bron lyon) (in-city depot lyon)
    (at fiat museum) (at renault bron) (at jet caselle)
    (at vase museum) (at crate depot))
  (:goal (and (at vase depot) (at crate museum))))
