# Prints a sum.
expr "$1" + "$2"
