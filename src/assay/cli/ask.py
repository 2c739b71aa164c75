"""`assay ask`: pose one question by hand and see the answer in words."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from assay.agents.codec import answer_to_json, question_to_json
from assay.agents.question_text import parse_question
from assay.agents.words import answer_in_words, counted, question_in_words
from assay.cli.agents import add_agent_options, chosen_agent
from assay.cli.output import Output, add_json_option
from assay.evidence.journal import Journal

_EXAMPLES = """examples:
  assay ask --domain d.pddl --problem p.pddl "(pick-up a) (stack a b)"
  assay ask --exam exam.yaml "(plan-outcome (:init (clear a) (handempty)) (:plan (pick-up a)))"
  assay ask --ros /simulator_bridge "(simulate-policy (:policy (when (clear a) (pick-up a)))
      (:goal (holding a)) (:horizon 5) (:runs 20))"
  assay ask --domain d.pddl --problem p.pddl "(reach-state (:goal (on a b)))"
  assay ask --domain d.pddl --problem p.pddl "(observe (:steps 10))"

Without (:init ...) a question starts from a reset. `-` reads the question from standard input.
"""


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "ask",
        help="pose one question to an agent and see the answer in words",
        description="Pose one question to an agent, in PDDL-like text, and see the answer in words.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("question", help="the question, or a plan such as '(pick-up a) (stack a b)'")
    add_agent_options(parser)
    parser.add_argument("--journal", type=Path, metavar="FILE", help="also keep question and answer in this journal")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, output: Output) -> int:
    """Ask, print, and return 0 (a refusal is an answer too)."""
    text = sys.stdin.read() if options.question == "-" else options.question
    with chosen_agent(options) as agent:
        question = parse_question(text, agent.description)
        if options.journal is None:
            answer = agent.ask(question)
        else:
            # Not replayed: whoever asks by hand wants the agent's answer of now.
            with Journal.open_or_create(options.journal, agent=agent.description) as journal:
                answer = agent.ask(question)
                journal.append(question, answer)
    output.text(question_in_words(question), style="bold")
    output.text(answer_in_words(question, answer))
    cost = answer.effort
    output.text(f"(cost: {counted(cost.steps, 'step')}, {counted(cost.resets, 'reset')})", style="dim")
    output.result({"question": question_to_json(question), "answer": answer_to_json(answer)})
    return 0
