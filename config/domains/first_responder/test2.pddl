; Three rows of five city blocks; six victims, one of them dying, and three fires.
(define (problem city-blocks)
  (:domain first-responder)
  (:objects
    block11 block12 block13 block14 block15 - location
    block21 block22 block23 block24 block25 - location
    block31 block32 block33 block34 block35 - location
    engine1 engine2 - fire_unit
    ambulance1 ambulance2 - medical_unit
    ann bob cleo dan eve finn - victim)
  (:init
    (adjacent block11 block12) (adjacent block12 block11) (adjacent block12 block13) (adjacent block13 block12)
    (adjacent block13 block14) (adjacent block14 block13) (adjacent block14 block15) (adjacent block15 block14)
    (adjacent block21 block22) (adjacent block22 block21) (adjacent block22 block23) (adjacent block23 block22)
    (adjacent block23 block24) (adjacent block24 block23) (adjacent block24 block25) (adjacent block25 block24)
    (adjacent block31 block32) (adjacent block32 block31) (adjacent block32 block33) (adjacent block33 block32)
    (adjacent block33 block34) (adjacent block34 block33) (adjacent block34 block35) (adjacent block35 block34)
    (adjacent block12 block22) (adjacent block22 block12) (adjacent block14 block24) (adjacent block24 block14)
    (adjacent block21 block31) (adjacent block31 block21) (adjacent block23 block33) (adjacent block33 block23)
    (adjacent block25 block35) (adjacent block35 block25)
    (adjacent block21 block11) (adjacent block25 block15)
    (hospital block13)
    (water-at block11) (water-at block34)
    (fire block22) (fire block24) (fire block31)
    (nfire block11) (nfire block12) (nfire block13) (nfire block14)
    (nfire block15) (nfire block21) (nfire block23) (nfire block25)
    (nfire block32) (nfire block33) (nfire block34) (nfire block35)
    (fire-unit-at engine1 block11) (fire-unit-at engine2 block35)
    (medical-unit-at ambulance1 block13) (medical-unit-at ambulance2 block33)
    (victim-at ann block12) (victim-hurt ann)
    (victim-at bob block13) (victim-hurt bob)
    (victim-at cleo block22) (victim-hurt cleo)
    (victim-at dan block24) (victim-hurt dan)
    (victim-at eve block33) (victim-dying eve)
    (victim-at finn block35) (victim-hurt finn))
  (:goal (and (nfire block22) (nfire block24) (victim-healthy cleo) (victim-healthy eve))))
