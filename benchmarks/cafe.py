"""The cafe: how exactly and at what cost its robot is learned from poses, and how fast its world runs.

`learn`: ten seeds of the exam in the paper's words, scored against direct executions in random realised states (never
against the robot's own file). `released`: the small cafe in the words of QACE's released program, within the executions
that it took, beside the authors' figures. `realise`: random symbolic states, each arranged and read back or refused.
`throughput`: executions per CPU second, planned anew each time or remembered, at each fidelity, and with two processes.
`fidelity`: the outcomes of the same executions, kinematic and with dynamics.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from assay.agents.agent import Access
from assay.agents.questions import Policy, PolicyRule, PolicySimulationQuery, Refusal
from assay.assess.stochastic import StochasticAssessment, assess
from assay.assess.stochastic_settings import StochasticSettings
from assay.evidence.trials import TrialEvidence
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.grounding import Grounder
from assay.logic.model import Model
from assay.worlds.cafe.agent import CafeAgent, CafeFiles
from assay.worlds.cafe.world import Fidelity
from assay.worlds.workers import WorkerPool
from benchmarks.common import REPOSITORY, options, save, show
from benchmarks.estimates import mean

CONFIG = REPOSITORY / "config"
CAFE = CafeFiles(CONFIG / "worlds/cafe.yaml", CONFIG / "vocabularies/cafe.yaml", CONFIG / "worlds/cafe_robot.yaml")
RELEASED = CafeFiles(
    CONFIG / "worlds/cafe_small.yaml",
    CONFIG / "vocabularies/cafe_released.yaml",
    CONFIG / "worlds/cafe_released_robot.yaml",
)
AUTHORS = {"tv": 0.088, "executions": (119, 157), "seconds": 1725.0}
SECTIONS = ("learn", "released", "realise", "throughput", "fidelity")
DRAWS = 50
"""Executions of each executable pair of the ground truth."""


@dataclass
class Truth:
    """What direct executions showed: which pairs are executable, and how often each outcome came."""

    executable: dict[tuple[State, GroundCapability], bool] = field(default_factory=dict)
    outcomes: dict[str, Counter[frozenset[Literal]]] = field(default_factory=dict)


def random_state(agent: CafeAgent, rng: np.random.Generator) -> State:
    """Return a random state that no rule of the cafe forbids, in the words of the paper."""
    plan = agent.world.plan
    stations, items = list(plan.surfaces), list(plan.items)
    held = items[int(rng.integers(len(items)))] if rng.random() < 0.4 else None
    atoms = {Atom("robot-at", (list(plan.locations)[int(rng.integers(len(plan.locations)))],))}
    atoms |= {Atom("at", (stations[int(rng.integers(len(stations)))], item)) for item in items if item != held}
    atoms.add(Atom("empty-arm") if held is None else Atom("holding", (held,)))
    if rng.random() < 0.6:
        atoms.add(Atom("has-charge"))
    return State(atoms)


def try_once(agent: CafeAgent, state: State, capability: GroundCapability, runs: int, seed: int) -> Any:
    """Return the answer to a question of one step."""
    return agent.ask(PolicySimulationQuery(Policy((PolicyRule((), capability),)), (), 1, runs, state, seed=seed))


def instances(agent: CafeAgent) -> dict[str, list[GroundCapability]]:
    """Return all ground capabilities with distinct arguments, by name."""
    grounder = Grounder(agent.description.types, agent.description.objects)
    found: dict[str, list[GroundCapability]] = {}
    for header in agent.description.capabilities:
        combinations: list[tuple[str, ...]] = [()]
        for parameter in header.parameters:
            names = grounder.objects_of(parameter.types)
            combinations = [(*args, name) for args in combinations for name in names if name not in args]
        found[header.name] = [GroundCapability(header.name, args) for args in combinations]
    return found


def ground_truth(agent: CafeAgent, executions: int, rng: np.random.Generator) -> Truth:
    """Execute every capability so often in random realised states, and try it where it is refused too."""
    truth, evidence, known = Truth(), TrialEvidence(agent.description), instances(agent)
    missing = dict.fromkeys(known, executions)
    truth.outcomes = {name: Counter() for name in known}
    while any(left > 0 for left in missing.values()):
        state = random_state(agent, rng)
        for name, choices in known.items():
            capability = choices[int(rng.integers(len(choices)))]
            for tried in (capability, *_plausible(agent, state, choices)):
                if missing[name] <= 0 and rng.random() < 0.9:
                    continue
                answer = try_once(agent, state, tried, 1, int(rng.integers(2**32)))
                if isinstance(answer, Refusal):
                    break
                done = answer.runs[0].transitions[0].executed
                truth.executable[state, tried] = done
                if done:
                    more = try_once(agent, state, tried, DRAWS, int(rng.integers(2**32)))
                    lifted = {ground: atom for atom, ground in zip(
                        evidence.atoms[name].atoms, evidence.ground_atoms(tried), strict=True)}  # fmt: skip
                    for run in more.runs:
                        step = run.transitions[0]
                        changes = step.after.difference(step.before)
                        truth.outcomes[name][frozenset(Literal(lifted[c.atom], c.positive) for c in changes)] += 1
                    missing[name] -= DRAWS
    return truth


def _plausible(agent: CafeAgent, state: State, choices: list[GroundCapability]) -> Iterator[GroundCapability]:
    """Yield the instances about where the robot is: most others are refused for that alone."""
    here = next(atom.args[0] for atom in state if atom.predicate == "robot-at")
    yield from (choice for choice in choices if choice.args[0] == here)


@dataclass(frozen=True)
class Score:
    """How a learned model does against the ground truth."""

    pairs: int
    wrong: int
    tv: dict[str, float]
    steps: int
    questions: int
    cpu_seconds: float
    undecided: int


def score(result: StochasticAssessment, agent: CafeAgent, truth: Truth) -> Score:
    """Compare what the model says is executable, and its odds, with what was seen."""
    model: Model = result.document.model
    grounder = Grounder(model.types, agent.description.objects)
    wrong = 0
    for (state, capability), executable in truth.executable.items():
        operator = grounder.operator(model.capability_by_name[capability.name], capability.args)
        says = operator is not None and operator.condition.holds(grounder.index.bits(state.atoms))
        wrong += says != executable
    tv = {}
    for name, seen in truth.outcomes.items():
        learned: dict[frozenset[Literal], float] = {}
        for outcome in model.capability_by_name[name].outcomes:
            key = frozenset(part.literal for part in outcome.effects)
            learned[key] = learned.get(key, 0.0) + float(outcome.probability or 0)
        total = seen.total()
        keys = set(learned) | set(seen)
        tv[name] = sum(abs(learned.get(key, 0.0) - seen[key] / total) for key in keys) / 2
    info = result.info
    return Score(
        len(truth.executable), wrong, tv, info.effort.steps, info.questions, info.cpu_seconds, len(result.undecided)
    )


def learn(chosen: argparse.Namespace) -> dict[str, Any]:
    """Score the exam in the paper's words over seeds."""
    judge = CafeAgent(CAFE, seed=10_000 + chosen.seed)
    started = time.process_time()
    truth = ground_truth(judge, chosen.executions, np.random.default_rng(chosen.seed))
    spent = time.process_time() - started
    scores = []
    for seed in range(chosen.seed, chosen.seed + chosen.seeds):
        agent = CafeAgent(CAFE, seed=seed)
        scores.append(score(assess(agent, seed, StochasticSettings()), judge, truth))
        agent.close()
    judge.close()
    rows = [
        ["pairs of the ground truth, wrong predictions", f"{scores[0].pairs}, {sum(s.wrong for s in scores)}"],
        ["runs with all predictions exact", f"{sum(s.wrong == 0 for s in scores)} of {len(scores)}"],
        ["TV of pick-item", mean(s.tv["pick-item"] for s in scores).text(4)],
        ["TV, mean of all capabilities", mean(sum(s.tv.values()) / len(s.tv) for s in scores).text(4)],
        ["questions", mean(s.questions for s in scores).text()],
        ["steps", mean(s.steps for s in scores).text()],
        ["CPU s", mean(s.cpu_seconds for s in scores).text(2)],
        ["undecided pal tuples", mean(s.undecided for s in scores).text()],
    ]
    show(f"The cafe, {len(scores)} seeds", ["measure", "result"], rows)
    return {"scores": [vars(s) for s in scores], "truth_cpu_seconds": spent, "truth_executions": chosen.executions}


def released(chosen: argparse.Namespace) -> dict[str, Any]:
    """Score the released vocabulary within the authors' executions."""
    rows, runs = [], []
    for seed in range(chosen.seed, chosen.seed + chosen.seeds):
        agent = CafeAgent(RELEASED, Access.REALISABLE, seed)
        judge = CafeAgent(RELEASED, Access.REALISABLE, 20_000 + seed)
        result = assess(agent, seed, StochasticSettings(max_steps=chosen.released_steps))
        learned = {
            frozenset(part.literal for part in outcome.effects): float(outcome.probability or 0)
            for outcome in result.document.model.capability_by_name["grasp"].outcomes
        }
        share = _success_share(judge)
        success = sum(odds for effects, odds in learned.items() if effects)
        runs.append(
            {"tv": abs(success - share), "steps": result.info.effort.steps, "cpu_seconds": result.info.cpu_seconds}
        )
        agent.close()
        judge.close()
    rows = [
        ["TV of grasp", mean(r["tv"] for r in runs).text(4), AUTHORS["tv"]],
        ["executions and refused tries", mean(r["steps"] for r in runs).text(), "119..157"],
        ["CPU s", mean(r["cpu_seconds"] for r in runs).text(2), f"{AUTHORS['seconds']} (seconds)"],
    ]
    show("The small cafe, released vocabulary", ["measure", "ours", "authors'"], rows)
    return {"runs": runs, "authors": dict(AUTHORS)}


def _success_share(judge: CafeAgent) -> float:
    """Return how often a grasp succeeds, by doing it 20,000 times."""
    robot, counter, can = "robot", "counter", "can-red"
    state = judge.state()
    at = State(
        atom for atom in state.with_atoms([Atom("at", (counter, robot)), Atom("teleported", (counter, robot))]).atoms
    )
    capability = GroundCapability("grasp", ("gripper", counter, can, robot))
    answer = try_once(judge, at, capability, 20_000, 1)
    return sum(run.transitions[0].after != run.transitions[0].before for run in answer.runs) / len(answer.runs)


def realise_states(chosen: argparse.Namespace) -> dict[str, Any]:
    """Arrange random symbolic states, possible or not, and read them back."""
    agent = CafeAgent(CAFE, seed=chosen.seed)
    rng = np.random.default_rng(chosen.seed)
    counts: Counter[str] = Counter()
    started = time.process_time()
    for _ in range(chosen.states):
        state = random_state(agent, rng)
        if rng.random() < 0.5:  # turn a few atoms round: most such states are impossible
            some = rng.choice(len(agent.evaluators.atoms), int(rng.integers(1, 4)), replace=False)
            state = State(state.atoms ^ {agent.evaluators.atoms[int(i)] for i in some})
        answer = agent.set_state(state)
        conflict = bool(agent.evaluators.contradictions(state))
        if isinstance(answer, Refusal):
            counts["refused for a conflict" if conflict else "refused without a conflict"] += 1
        else:
            counts["read back exactly" if answer == state else "read back wrongly"] += 1
    spent = time.process_time() - started
    agent.close()
    show("Realising random symbolic states", ["what came of it", "states"], [list(item) for item in counts.items()])
    return {"counts": dict(counts), "cpu_seconds": spent}


def throughput(chosen: argparse.Namespace) -> dict[str, Any]:
    """Measure executions per CPU second, and the wall time of two processes."""
    rows, results = [], {}
    for fidelity in Fidelity:
        agent = CafeAgent(CAFE, seed=chosen.seed, fidelity=fidelity)
        count = chosen.steps if fidelity is Fidelity.KINEMATIC else max(20, chosen.steps // 10)
        planned = _rate(agent, count, chosen.seed, remember=False)
        _rate(agent, count, chosen.seed, remember=True)
        remembered = _rate(agent, count, chosen.seed, remember=True)  # the same once more
        rows.append([fidelity.value, planned, remembered])
        results[fidelity.value] = {"planned_anew": planned, "remembered": remembered}
        agent.close()
    show("Executions per CPU second", ["fidelity", "planned anew", "remembered"], rows)
    scaling = []
    for count in (1, 2):
        # So many arrangements that every run has to be planned.
        pool = WorkerPool(partial(CafeAgent, CAFE, seed=chosen.seed, variants=1000), count)
        start = State(Atom("at", (place, item)) for place, item in (("counter", "cup"), ("counter", "soda-can"), (
            "table1", "bowl"), ("table2", "plate")))  # fmt: skip
        start = start.with_atoms([Atom("robot-at", ("counter",)), Atom("empty-arm"), Atom("has-charge")])
        policy = Policy((PolicyRule((), GroundCapability("pick-item", ("counter", "cup"))),))
        pool.ask(PolicySimulationQuery(policy, (), 1, 2 * count, start, seed=chosen.seed))  # the workers are up now
        started = time.monotonic()
        pool.ask(PolicySimulationQuery(policy, (), 1, 5 * chosen.steps, start, seed=chosen.seed + 1))
        wall = time.monotonic() - started
        scaling.append({"processes": count, "wall_seconds": wall, "megabytes": _megabytes(pool.process_ids)})
        pool.close()
    show("Picks in worker processes", ["processes", "s", "MB of the largest"], [list(one.values()) for one in scaling])
    return {**results, "workers": scaling}


def _megabytes(processes: tuple[int, ...]) -> float:
    """Return the memory of the largest of these processes."""
    pages = [int(Path(f"/proc/{process}/statm").read_text().split()[1]) for process in processes]
    return max(pages) * resource.getpagesize() / 2**20


def _rate(agent: CafeAgent, steps: int, seed: int, *, remember: bool) -> float:
    """Return the executions per CPU second of the robot acting by itself from random states."""
    rng = np.random.default_rng(seed)
    done, spent = 0, 0.0
    starts = [random_state(agent, rng) for _ in range(8)]
    known = instances(agent)
    while done < steps:
        if not remember:
            agent.forget()
        start = starts[int(rng.integers(len(starts)))]
        picks = [c for c in known["pick-item"] if start.holds((Literal(Atom("at", c.args), True),))]
        capability = picks[int(rng.integers(len(picks)))] if picks else known["move"][0]
        ready = State(
            {a for a in start.atoms if a.predicate == "at"}
            | {Atom("robot-at", capability.args[:1]), Atom("empty-arm"), Atom("has-charge")}
            | {Atom("at", (capability.args[0], a.args[0])) for a in start.atoms if a.predicate == "holding"}
        )
        started = time.process_time()
        answer = try_once(agent, ready, capability, 1, int(rng.integers(2**32)))
        spent += time.process_time() - started
        if not isinstance(answer, Refusal):
            done += sum(step.executed for run in answer.runs for step in run.transitions)
    return done / spent


def fidelity(chosen: argparse.Namespace) -> dict[str, Any]:
    """Compare the outcomes of the same executions at two fidelities."""
    counts: dict[str, dict[str, Counter[str]]] = {}
    for level in (Fidelity.KINEMATIC, Fidelity.DYNAMICS):
        agent = CafeAgent(CAFE, seed=chosen.seed, fidelity=level)
        truth = ground_truth_of(agent, chosen.compared, np.random.default_rng(chosen.seed))
        for name, seen in truth.items():
            counts.setdefault(name, {})[level.value] = seen
        agent.close()
    rows = []
    for name, both in counts.items():
        keys = sorted(set(both["kinematic"]) | set(both["dynamics"]))
        rows += [[name, key, both["kinematic"][key], both["dynamics"][key]] for key in keys]
    show("The same executions at two fidelities", ["capability", "outcome", "kinematic", "dynamics"], rows)
    return {name: {level: dict(seen) for level, seen in both.items()} for name, both in counts.items()}


def ground_truth_of(agent: CafeAgent, count: int, rng: np.random.Generator) -> dict[str, Counter[str]]:
    """Return the outcomes of so many single executions of each capability, in random states where it is possible."""
    known, found = instances(agent), {}
    for name, choices in known.items():
        seen: Counter[str] = Counter()
        while seen.total() < count:
            state = random_state(agent, rng)
            capability = choices[int(rng.integers(len(choices)))]
            seed = int(rng.integers(2**32))
            answer = try_once(agent, _made_possible(state, capability), capability, 1, seed)
            if isinstance(answer, Refusal):
                continue
            step = answer.runs[0].transitions[0]
            changed = {(c.atom.predicate, c.positive) for c in step.after.difference(step.before)}
            words = " ".join(sorted(f"{'+' if positive else '-'}{predicate}" for predicate, positive in changed))
            seen[words or ("nothing" if step.executed else f"refused: {agent.last_reason[:60]}")] += 1
        found[name] = seen
    return found


def _made_possible(state: State, capability: GroundCapability) -> State:
    """Return a state like this one in which the robot stands where it should, and the arm and battery fit."""
    kept = {atom for atom in state.atoms if atom.predicate == "at"}
    held = {atom.args[0] for atom in state.atoms if atom.predicate == "holding"}
    place = capability.args[0]
    stations = sorted(atom.args[0] for atom in kept)
    if capability.name == "place-item":
        item = capability.args[1]
        kept = {atom for atom in kept if atom.args[1] != item}
        kept |= {Atom("at", (stations[0] if stations else place, other)) for other in held if other != item}
        return State({*kept, Atom("holding", (item,)), Atom("robot-at", (place,)), Atom("has-charge")})
    kept |= {Atom("at", (stations[0] if stations else place, other)) for other in held}
    if capability.name == "pick-item":
        kept = {atom for atom in kept if atom.args[1] != capability.args[1]} | {Atom("at", capability.args)}
    charged = set() if capability.name == "recharge" else {Atom("has-charge")}
    return State({*kept, *charged, Atom("empty-arm"), Atom("robot-at", (place,))})


def main(chosen: argparse.Namespace) -> None:
    """Run the sections that were asked for."""
    parts = {
        "learn": learn, "released": released, "realise": realise_states, "throughput": throughput, "fidelity": fidelity,
    }  # fmt: skip
    results = {}
    for name in chosen.sections:
        results[name] = parts[name](chosen)
        save(chosen, "Cafe", results)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--seeds", type=int, default=10, help="seeds of the exams (default: %(default)s)")
    parser.add_argument("--executions", type=int, default=20_000, help="of each capability, for the ground truth")
    parser.add_argument("--released-steps", type=int, default=130, help="step budget in the released vocabulary")
    parser.add_argument("--states", type=int, default=1000, help="symbolic states to realise (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=200, help="executions to time (default: %(default)s)")
    parser.add_argument("--compared", type=int, default=200, help="executions of each capability at each fidelity")


if __name__ == "__main__":
    main(options(__doc__ or "", add_options))
