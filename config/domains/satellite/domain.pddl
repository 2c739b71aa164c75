; Satellites turn, switch on one instrument at a time, calibrate it on its target and take images with it.
(define (domain satellite)
  (:requirements :strips :typing)
  (:types satellite direction instrument mode - object)
  (:predicates
    (pointing ?satellite - satellite ?direction - direction)
    (on_board ?instrument - instrument ?satellite - satellite)
    (supports ?instrument - instrument ?mode - mode)
    (calibration_target ?instrument - instrument ?direction - direction)
    (power_avail ?satellite - satellite)
    (power_on ?instrument - instrument)
    (calibrated ?instrument - instrument)
    (have_image ?direction - direction ?mode - mode))

  (:action turn_to
    :parameters (?satellite - satellite ?new - direction ?old - direction)
    :precondition (pointing ?satellite ?old)
    :effect (and (not (pointing ?satellite ?old)) (pointing ?satellite ?new)))

  ; An instrument stays calibrated when it is switched off, and loses that when it is switched on again.
  (:action switch_on
    :parameters (?instrument - instrument ?satellite - satellite)
    :precondition (and (power_avail ?satellite) (on_board ?instrument ?satellite))
    :effect (and (not (power_avail ?satellite)) (power_on ?instrument) (not (calibrated ?instrument))))

  (:action switch_off
    :parameters (?instrument - instrument ?satellite - satellite)
    :precondition (and (power_on ?instrument) (on_board ?instrument ?satellite))
    :effect (and (power_avail ?satellite) (not (power_on ?instrument))))

  (:action calibrate
    :parameters (?satellite - satellite ?instrument - instrument ?target - direction)
    :precondition (and
      (power_on ?instrument) (on_board ?instrument ?satellite)
      (calibration_target ?instrument ?target) (pointing ?satellite ?target))
    :effect (calibrated ?instrument))

  (:action take_image
    :parameters (?satellite - satellite ?object - direction ?instrument - instrument ?mode - mode)
    :precondition (and
      (power_on ?instrument) (calibrated ?instrument) (on_board ?instrument ?satellite)
      (supports ?instrument ?mode) (pointing ?satellite ?object))
    :effect (have_image ?object ?mode)))
