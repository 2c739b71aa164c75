(define (problem two-satellites)
  (:domain satellite)
  (:objects
    kepler halley - satellite
    camera radiometer - instrument
    visible infrared - mode
    vega comet nebula - direction)
  (:init
    (on_board camera kepler) (supports camera visible) (calibration_target camera vega)
    (on_board radiometer halley) (supports radiometer infrared) (calibration_target radiometer comet)
    (power_avail kepler) (pointing kepler nebula)
    (power_avail halley) (pointing halley comet))
  (:goal (and (have_image comet visible) (have_image nebula infrared))))
