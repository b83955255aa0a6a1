"""Lets GEPA's own optimize() play simulated sessions: one JSON value a line, requests on stdout, answers on stdin.

Needs a Python in which `import gepa` works (PyPI package gepa); nothing else, and no model: runs and proposals come from the simulation.
"""

import json
import sys

import gepa
from gepa.core.adapter import EvaluationBatch


class Quiet:
    def log(self, message):
        pass


def ask(request):
    sys.stdout.write(json.dumps(request) + "\n")
    sys.stdout.flush()
    return json.loads(sys.stdin.readline())


class Simulation:
    """A candidate is the list of its edits, as text; a trajectory is a case and whether its run passed."""

    def evaluate(self, batch, candidate, capture_traces=False):
        scores = ask({"evaluate": {"edits": json.loads(candidate["skill"]), "cases": batch}})
        trajectories = list(zip(batch, scores)) if capture_traces else None
        return EvaluationBatch(outputs=list(scores), scores=scores, trajectories=trajectories)

    def make_reflective_dataset(self, candidate, eval_batch, components_to_update):
        runs = [{"case": case, "score": score} for case, score in eval_batch.trajectories]
        return {name: runs for name in components_to_update}

    def propose_new_texts(self, candidate, reflective_dataset, components_to_update):
        runs = reflective_dataset["skill"]
        seen = sorted({run["case"] for run in runs})
        failed = len({run["case"] for run in runs if run["score"] < 1})
        edits = ask({"propose": {"seen": seen, "failed": failed}})
        return {"skill": json.dumps([*json.loads(candidate["skill"]), *edits])}


def main():
    for line in sys.stdin:
        session = json.loads(line)
        result = gepa.optimize(
            seed_candidate={"skill": "[]"},
            trainset=session["train"],
            valset=session["validation"],
            adapter=Simulation(),
            max_metric_calls=session["budget"],
            seed=session["seed"],
            logger=Quiet(),
        )
        sys.stdout.write(json.dumps({"ships": json.loads(result.best_candidate["skill"])}) + "\n")
        sys.stdout.flush()


main()
