#!/bin/bash
set -e
echo "words=$(wc -w < /app/notes.txt)" > /app/report.txt
