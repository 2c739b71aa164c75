"""Interrogation of agents that tell what a refused step needs: a few questions for each capability."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examinees import PUBLISHED, examinee, load

from assay.agents.agent import Access, AgentDescription
from assay.agents.questions import QuestionKind
from assay.agents.wrappers import AgentWrapper
from assay.assess.interrogation import InterrogationSettings, Style, interrogate
from assay.errors import AssayError
from assay.logic.compare import compare_modes

SETTINGS = InterrogationSettings(style=Style.ACTION_PRECONDITION)


@pytest.mark.parametrize("name", PUBLISHED)
def test_three_questions_a_capability(name: str) -> None:
    truth, _ = load(name)
    result = interrogate(examinee(name), 0, SETTINGS)
    assert compare_modes(result.document.model, truth).accuracy == 1.0
    assert result.undecided == ()
    assert result.info.questions <= 3 * len(truth.capabilities) + 2


@pytest.mark.parametrize("access", [Access.RESET, Access.SEEN, Access.REALISABLE])
def test_it_needs_access_to_any_state(access: Access) -> None:
    with pytest.raises(AssayError, match="needs access any"):
        interrogate(examinee("gripper", access), 0, SETTINGS)


def test_it_needs_an_agent_that_answers_so() -> None:
    class Silent(AgentWrapper):
        @property
        def description(self) -> AgentDescription:
            inside = self.agent.description
            return replace(inside, supports=inside.supports - {QuestionKind.ACTION_PRECONDITION})

    with pytest.raises(AssayError, match="does not answer action-precondition"):
        interrogate(Silent(examinee("gripper")), 0, SETTINGS)
