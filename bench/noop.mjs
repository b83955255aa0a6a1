// The agent of the benches: reads nothing, says one word.
process.stdout.write('done\n')
