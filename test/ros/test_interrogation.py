"""An interrogation over ROS services learns what it learns in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from assay.agents.agent import Access
from assay.agents.symbolic import SymbolicAgent
from assay.assess.interrogation import interrogate
from assay.ros.remote_agent import RemoteAgent
from assay.ros.supervision import running_node

DOMAINS = Path(__file__).resolve().parents[2] / "config" / "domains"


@pytest.mark.parametrize(
    ("name", "access"), [("blocksworld", Access.ANY), ("rovers", Access.ANY), ("gripper", Access.RESET)]
)
def test_the_same_model_over_services(
    name: str, access: Access, ros_environment: dict[str, str], tmp_path: Path
) -> None:
    files = (DOMAINS / name / "domain.pddl", DOMAINS / name / "problem.pddl")
    exam = tmp_path / "exam.yaml"
    exam.write_text(
        f"agent: {{kind: symbolic, domain: {files[0]}, problem: {files[1]}, access: {access.value}, "
        "continues_after_refusal: false}\n"
    )
    home = interrogate(SymbolicAgent.from_files(*files, access, continues_after_refusal=False), 3)
    parameters = {"exam": str(exam)}
    namespace = f"/{name}_{access.value}"
    with (
        running_node("assay.ros.simulator_bridge", parameters, ros_environment, namespace),
        RemoteAgent(f"{namespace}/simulator_bridge", 30.0) as agent,
    ):
        away = interrogate(agent, 3)
    assert away.document.model == home.document.model
    assert (away.info.questions, away.info.effort) == (home.info.questions, home.info.effort)
