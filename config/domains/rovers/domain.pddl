; Rovers sample soil and rock, take images, and report to a lander that they can see.
(define (domain rovers)
  (:requirements :strips :typing)
  (:types rover waypoint store camera mode lander objective - object)
  (:predicates
    ; where things are, and what can be seen from where
    (at ?rover - rover ?place - waypoint)
    (at_lander ?lander - lander ?place - waypoint)
    (at_soil_sample ?place - waypoint)
    (at_rock_sample ?place - waypoint)
    (can_traverse ?rover - rover ?from - waypoint ?to - waypoint)
    (visible ?from - waypoint ?to - waypoint)
    (visible_from ?objective - objective ?place - waypoint)
    ; what a rover has
    (available ?rover - rover)
    (equipped_for_soil_analysis ?rover - rover)
    (equipped_for_rock_analysis ?rover - rover)
    (equipped_for_imaging ?rover - rover)
    (store_of ?store - store ?rover - rover)
    (empty ?store - store)
    (full ?store - store)
    (on_board ?camera - camera ?rover - rover)
    (supports ?camera - camera ?mode - mode)
    (calibration_target ?camera - camera ?objective - objective)
    (calibrated ?camera - camera ?rover - rover)
    ; what has been found out, and what of it is reported
    (have_soil_analysis ?rover - rover ?place - waypoint)
    (have_rock_analysis ?rover - rover ?place - waypoint)
    (have_image ?rover - rover ?objective - objective ?mode - mode)
    (communicated_soil_data ?place - waypoint)
    (communicated_rock_data ?place - waypoint)
    (communicated_image_data ?objective - objective ?mode - mode)
    (channel_free ?lander - lander))

  (:action navigate
    :parameters (?rover - rover ?from - waypoint ?to - waypoint)
    :precondition (and (available ?rover) (at ?rover ?from) (can_traverse ?rover ?from ?to) (visible ?from ?to))
    :effect (and (not (at ?rover ?from)) (at ?rover ?to)))

  (:action sample_soil
    :parameters (?rover - rover ?store - store ?place - waypoint)
    :precondition (and
      (at ?rover ?place) (at_soil_sample ?place) (equipped_for_soil_analysis ?rover)
      (store_of ?store ?rover) (empty ?store))
    :effect (and
      (have_soil_analysis ?rover ?place) (not (at_soil_sample ?place))
      (full ?store) (not (empty ?store))))

  (:action sample_rock
    :parameters (?rover - rover ?store - store ?place - waypoint)
    :precondition (and
      (at ?rover ?place) (at_rock_sample ?place) (equipped_for_rock_analysis ?rover)
      (store_of ?store ?rover) (empty ?store))
    :effect (and
      (have_rock_analysis ?rover ?place) (not (at_rock_sample ?place))
      (full ?store) (not (empty ?store))))

  (:action drop
    :parameters (?rover - rover ?store - store)
    :precondition (and (store_of ?store ?rover) (full ?store))
    :effect (and (empty ?store) (not (full ?store))))

  (:action calibrate
    :parameters (?rover - rover ?camera - camera ?target - objective ?place - waypoint)
    :precondition (and
      (equipped_for_imaging ?rover) (on_board ?camera ?rover) (calibration_target ?camera ?target)
      (at ?rover ?place) (visible_from ?target ?place))
    :effect (calibrated ?camera ?rover))

  ; One calibration is good for one image.
  (:action take_image
    :parameters (?rover - rover ?place - waypoint ?objective - objective ?camera - camera ?mode - mode)
    :precondition (and
      (equipped_for_imaging ?rover) (on_board ?camera ?rover) (supports ?camera ?mode) (calibrated ?camera ?rover)
      (at ?rover ?place) (visible_from ?objective ?place))
    :effect (and (have_image ?rover ?objective ?mode) (not (calibrated ?camera ?rover))))

  (:action communicate_soil_data
    :parameters (?rover - rover ?lander - lander ?sampled - waypoint ?here - waypoint ?there - waypoint)
    :precondition (and
      (have_soil_analysis ?rover ?sampled) (available ?rover) (channel_free ?lander)
      (at ?rover ?here) (at_lander ?lander ?there) (visible ?here ?there))
    :effect (communicated_soil_data ?sampled))

  (:action communicate_rock_data
    :parameters (?rover - rover ?lander - lander ?sampled - waypoint ?here - waypoint ?there - waypoint)
    :precondition (and
      (have_rock_analysis ?rover ?sampled) (available ?rover) (channel_free ?lander)
      (at ?rover ?here) (at_lander ?lander ?there) (visible ?here ?there))
    :effect (communicated_rock_data ?sampled))

  (:action communicate_image_data
    :parameters (?rover - rover ?lander - lander ?objective - objective ?mode - mode ?here - waypoint ?there - waypoint)
    :precondition (and
      (have_image ?rover ?objective ?mode) (available ?rover) (channel_free ?lander)
      (at ?rover ?here) (at_lander ?lander ?there) (visible ?here ?there))
    :effect (communicated_image_data ?objective ?mode)))
