"""JudgeBench's own accuracy of each file of judgements: judgebench_metrics.py CHECKOUT FILE. Prints JSON.

Accuracy is computed by its utils/metrics.py, over all pairs and over those that can be replayed: with a decision in both orders, and with
responses that differ. A flip is a pair whose two decisions differ after its flip_judgment.
"""
import json
import sys

sys.path.insert(0, sys.argv[1])
from utils import metrics

with open(sys.argv[2], encoding="utf-8") as lines:
    pairs = [json.loads(line) for line in lines]


def decisions(pair):
    first, second = [(one or {}).get("decision") for one in pair["judgments"]]
    return first, metrics.flip_judgment(second)


decided = [
    pair for pair in pairs if None not in decisions(pair) and pair["response_A"] != pair["response_B"]
]
print(
    json.dumps(
        {
            "pairs": len(pairs),
            "decided": len(decided),
            "accuracy_all": metrics.compute_final_metrics(pairs, True) / 100,
            "accuracy": metrics.compute_final_metrics(decided, True) / 100,
            "flips": sum(first != second for first, second in map(decisions, decided)),
        }
    )
)
