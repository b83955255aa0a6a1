#!/bin/bash
# Each of the two files is worth half of the reward.
mkdir -p /logs/verifier
score=0
[ "$(cat /output/total.txt 2>/dev/null)" = "19.75" ] && score=$((score + 50))
[ "$(cat /output/cheapest.txt 2>/dev/null)" = "tea" ] && score=$((score + 50))
printf '{"reward": %d.%02d}\n' $((score / 100)) $((score % 100)) > /logs/verifier/reward.json
