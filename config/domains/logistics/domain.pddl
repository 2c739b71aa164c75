; Trucks carry packages within a city, airplanes between airports.
(define (domain logistics)
  (:requirements :strips :typing)
  (:types
    physobj place city - object
    package vehicle - physobj
    truck airplane - vehicle
    airport location - place)
  (:predicates
    (in-city ?place - place ?city - city)
    (at ?thing - physobj ?place - place)
    (in ?package - package ?vehicle - vehicle))

  (:action load-truck
    :parameters (?package - package ?truck - truck ?place - place)
    :precondition (and (at ?package ?place) (at ?truck ?place))
    :effect (and (in ?package ?truck) (not (at ?package ?place))))

  (:action load-airplane
    :parameters (?package - package ?plane - airplane ?place - place)
    :precondition (and (at ?package ?place) (at ?plane ?place))
    :effect (and (in ?package ?plane) (not (at ?package ?place))))

  (:action unload-truck
    :parameters (?package - package ?truck - truck ?place - place)
    :precondition (and (in ?package ?truck) (at ?truck ?place))
    :effect (and (at ?package ?place) (not (in ?package ?truck))))

  (:action unload-airplane
    :parameters (?package - package ?plane - airplane ?place - place)
    :precondition (and (in ?package ?plane) (at ?plane ?place))
    :effect (and (at ?package ?place) (not (in ?package ?plane))))

  (:action drive-truck
    :parameters (?truck - truck ?here - place ?there - place ?city - city)
    :precondition (and (at ?truck ?here) (in-city ?here ?city) (in-city ?there ?city))
    :effect (and (not (at ?truck ?here)) (at ?truck ?there)))

  (:action fly-airplane
    :parameters (?plane - airplane ?here - airport ?there - airport)
    :precondition (at ?plane ?here)
    :effect (and (not (at ?plane ?here)) (at ?plane ?there))))
