# Prints the sum of two whole numbers. It has a mistake that the tutorial finds.
a=$1
b=$2
echo "sum: $((a - b))"
