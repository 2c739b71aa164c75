; Each rover can do what the other cannot, both start with a full store, and a third rover is out of order: it still
; holds data that nobody can get. So nearly every precondition is at some time the only one that fails.
(define (problem crater)
  (:domain rovers)
  (:objects
    scout digger veteran - rover
    box bag - store
    base plain ridge - waypoint
    eye lens - camera
    colour depth - mode
    ship wreck - lander
    boulder dune - objective)
  (:init
    (at_lander ship base) (channel_free ship)
    (at_lander wreck base)
    (visible base plain) (visible plain base) (visible plain ridge) (visible ridge plain)
    (visible_from boulder plain) (visible_from dune ridge)
    (at_soil_sample plain) (at_rock_sample plain)

    ; The way from base to ridge is passable but not in sight.
    (at scout plain) (available scout)
    (can_traverse scout base plain) (can_traverse scout plain base)
    (can_traverse scout plain ridge) (can_traverse scout ridge plain) (can_traverse scout base ridge)
    (equipped_for_soil_analysis scout) (equipped_for_imaging scout)
    (store_of box scout) (full box)
    (on_board eye scout) (supports eye colour) (calibration_target eye boulder)

    (at digger base) (available digger)
    (can_traverse digger base plain) (can_traverse digger plain base)
    (equipped_for_rock_analysis digger)
    (store_of bag digger) (full bag)
    (on_board lens digger) (supports lens depth) (calibration_target lens boulder)

    (at veteran plain)
    (can_traverse veteran plain base)
    (have_soil_analysis veteran ridge) (have_rock_analysis veteran ridge) (have_image veteran dune depth))
  (:goal (and
    (communicated_soil_data plain)
    (communicated_rock_data plain)
    (communicated_image_data dune colour))))
