; Four streets of five corners: the streets are two-way, the avenues that cross them one-way.
(define (problem street-grid)
  (:domain driver)
  (:objects
    corner11 corner12 corner13 corner14 corner15 - location
    corner21 corner22 corner23 corner24 corner25 - location
    corner31 corner32 corner33 corner34 corner35 - location
    corner41 corner42 corner43 corner44 corner45 - location)
  (:init
    (vehicle-at corner11) (not-flattire)
    (road corner11 corner12) (road corner12 corner11) (road corner12 corner13) (road corner13 corner12)
    (road corner13 corner14) (road corner14 corner13) (road corner14 corner15) (road corner15 corner14)
    (road corner21 corner22) (road corner22 corner21) (road corner22 corner23) (road corner23 corner22)
    (road corner23 corner24) (road corner24 corner23) (road corner24 corner25) (road corner25 corner24)
    (road corner31 corner32) (road corner32 corner31) (road corner32 corner33) (road corner33 corner32)
    (road corner33 corner34) (road corner34 corner33) (road corner34 corner35) (road corner35 corner34)
    (road corner41 corner42) (road corner42 corner41) (road corner42 corner43) (road corner43 corner42)
    (road corner43 corner44) (road corner44 corner43) (road corner44 corner45) (road corner45 corner44)
    (road corner11 corner21) (road corner21 corner31) (road corner31 corner41)
    (road corner22 corner12) (road corner32 corner22) (road corner42 corner32)
    (road corner13 corner23) (road corner23 corner33) (road corner33 corner43)
    (road corner24 corner14) (road corner34 corner24) (road corner44 corner34)
    (road corner15 corner25) (road corner25 corner35) (road corner35 corner45)
    (spare-in corner11) (spare-in corner12) (spare-in corner13) (spare-in corner14)
    (spare-in corner15) (spare-in corner22) (spare-in corner24) (spare-in corner31)
    (spare-in corner32) (spare-in corner33) (spare-in corner34) (spare-in corner35)
    (spare-in corner41) (spare-in corner43) (spare-in corner45))
  (:goal (vehicle-at corner45)))
