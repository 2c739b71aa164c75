"""`assay check-agent`: does an agent keep the rules that learners rely on?"""

from __future__ import annotations

import argparse
from typing import Any

from assay.agents.conformance import check_agent
from assay.cli.agents import add_agent_options, chosen_agent
from assay.cli.output import Output, add_json_option


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "check-agent",
        help="check that an agent answers as learners expect",
        description="Ask an agent some dozens of questions and report each rule that its answers break, with the "
        "remedy. Exit code 1 if there is any finding.",
    )
    add_agent_options(parser)
    parser.add_argument("--check-seed", type=int, default=0, metavar="N", help="seed of the questions")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, output: Output) -> int:
    """Check, print the findings, and return 1 if there are any."""
    with chosen_agent(options) as agent:
        name = agent.description.name
        findings = check_agent(agent, options.check_seed)
    output.result(
        {
            "agent": name,
            "findings": [
                {"severity": f.severity.value, "check": f.check, "message": f.message, "remedy": f.remedy}
                for f in findings
            ],
        }
    )
    if not findings:
        output.text(f"{name} keeps all the rules that were checked.")
        return 0
    rows = [(f.severity.value, f.check, f.message, f.remedy) for f in findings]
    output.table(("severity", "check", "what is wrong", "how to mend it"), rows, title=name)
    return 1
