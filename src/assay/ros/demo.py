"""The demonstration: a symbolic robot as a node in its own process, questioned from this one over services."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any

from assay.agents.agent import AgentDescription
from assay.agents.codec import answer_to_json, question_to_json
from assay.agents.question_text import parse_question
from assay.agents.words import answer_in_words, question_in_words
from assay.errors import AgentUnreachable
from assay.resources import config_file
from assay.ros.isolation import claimed_domain, local_environment
from assay.ros.remote_agent import RemoteAgent
from assay.ros.supervision import running_node

EXAM = "exams/cafe_symbolic.yaml"
_QUESTIONS = (
    "(plan-outcome (:plan (drive counter table1) (drive table1 counter)))",
    "(plan-outcome (:plan (pick cup table1)))",
    "(action-precondition (:plan (pick cup table1)))",
    """(simulate-policy
         (:policy (when (and (robot-at counter) (at cup counter) (empty-arm) (charged)) (pick cup counter))
                  (when (not (charged)) (charge counter)))
         (:goal (holding cup)) (:horizon 20) (:runs 200) (:seed 1))""",
    "(reach-state (:goal (at cup table1)))",
    "(observe (:steps 6) (:seed 3))",
)


def run_demo(say: Callable[..., None], deadline: float) -> list[dict[str, Any]]:
    """Start the node, ask, print as it goes, stop the node; return the questions and answers as JSON values."""
    exam = config_file(EXAM)
    answers: list[dict[str, Any]] = []
    with claimed_domain() as domain_id:
        environment = local_environment(domain_id)
        os.environ.update({name: environment[name] for name in environment if name.startswith(("ROS_", "FASTDDS_"))})
        say(f"Starting the robot of {exam.name} as a ROS node in its own process (domain {domain_id}, no network).")
        with (
            running_node("assay.ros.simulator_bridge", {"exam": str(exam)}, environment) as process,
            RemoteAgent("/simulator_bridge", deadline) as agent,
        ):
            description = _described(agent, process)
            say(f"Process {process.pid} answers. It calls itself {description.name} and can:")
            for header in description.capabilities:
                say(f"    {header}")
            for number, text in enumerate(_QUESTIONS, start=1):
                question = parse_question(text, description)
                answer = agent.ask(question)
                say("")
                say(f"{number}. {question_in_words(question)}", style="bold")
                say(f"   {answer_in_words(question, answer)}")
                answers.append({"question": question_to_json(question), "answer": answer_to_json(answer)})
        say("")
        say("The robot's node has been stopped.")
    return answers


def _described(agent: RemoteAgent, process: subprocess.Popen[bytes]) -> AgentDescription:
    try:
        return agent.description
    except AgentUnreachable as error:
        code = process.poll()
        if code is not None:
            raise AgentUnreachable(f"the robot's node ended with code {code}; see what it printed") from error
        raise
