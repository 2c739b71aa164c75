"""Two small worlds for tests of agents: blocks that stay where they are put, and blocks that slip."""

from __future__ import annotations

from assay.agents.agent import Access
from assay.agents.symbolic import SymbolicAgent
from assay.logic.model import Model, Problem
from assay.logic.pddl import parse_model, parse_problem

BLOCKS = """
(define (domain blocks)
  (:types block table)
  (:constants Desk - table)
  (:predicates (on ?x ?y - block) (ontable ?x - block) (clear ?x - block) (handempty) (holding ?x - block))
  (:action pick-up :parameters (?x - block)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
  (:action put-down :parameters (?x - block)
    :precondition (holding ?x)
    :effect (and (not (holding ?x)) (clear ?x) (handempty) (ontable ?x)))
  (:action stack :parameters (?x ?y - block)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y))))
"""
SLIPPERY = BLOCKS.replace(
    ":effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x))",
    ":effect (probabilistic 0.5 (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))",
)
THREE_BLOCKS = """
(define (problem three) (:domain blocks) (:objects a b C - block)
  (:init (ontable a) (ontable b) (ontable C) (clear a) (clear b) (clear C) (handempty))
  (:goal (on a b)))
"""


def blocks(slippery: bool = False) -> tuple[Model, Problem]:
    """Return the world as a model and a problem."""
    model = parse_model(SLIPPERY if slippery else BLOCKS)
    return model, parse_problem(THREE_BLOCKS, model)


def blocks_agent(access: Access = Access.ANY, slippery: bool = False) -> SymbolicAgent:
    """Return an agent that lives in the world."""
    return SymbolicAgent(*blocks(slippery), access)
