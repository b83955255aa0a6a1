#!/bin/bash
set -e
mkdir -p /output
awk -F, 'NR > 1 { sum += $2 } END { printf "%.2f\n", sum }' "$DATA_DIR/prices.csv" > /output/total.txt
awk -F, 'NR > 1' "$DATA_DIR/prices.csv" | sort -t, -k2,2n | head -1 | cut -d, -f1 > /output/cheapest.txt
