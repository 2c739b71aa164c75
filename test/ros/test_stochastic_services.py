"""A stochastic examination over ROS services learns what it learns in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from assay.agents.agent import Access
from assay.agents.symbolic import SymbolicAgent
from assay.assess.stochastic import assess
from assay.assess.stochastic_settings import StochasticSettings
from assay.ros.remote_agent import RemoteAgent
from assay.ros.supervision import running_node

DOMAINS = Path(__file__).resolve().parents[2] / "config" / "domains"


@pytest.mark.parametrize(
    ("name", "access"), [("driver", Access.ANY), ("warehouse", Access.SEEN), ("cafe_paper", Access.RESET)]
)
def test_the_same_model_over_services(
    name: str, access: Access, ros_environment: dict[str, str], tmp_path: Path
) -> None:
    files = (DOMAINS / name / "domain.pddl", DOMAINS / name / "problem.pddl")
    exam = tmp_path / "exam.yaml"
    exam.write_text(
        f"agent: {{kind: symbolic, domain: {files[0]}, problem: {files[1]}, access: {access.value}, seed: 5}}\n"
    )
    settings = StochasticSettings(precision=0.1)
    home = assess(SymbolicAgent.from_files(*files, access, 5), 3, settings)
    namespace = f"/{name}_{access.value}"
    with (
        running_node("assay.ros.simulator_bridge", {"exam": str(exam)}, ros_environment, namespace),
        RemoteAgent(f"{namespace}/simulator_bridge", 30.0) as agent,
    ):
        away = assess(agent, 3, settings)
    assert away.document == home.document
    assert (away.info.questions, away.info.effort, away.ended) == (home.info.questions, home.info.effort, home.ended)
