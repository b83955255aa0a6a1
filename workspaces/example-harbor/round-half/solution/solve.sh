#!/bin/bash
echo 2 > /app/rounded.txt
