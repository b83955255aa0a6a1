// Prints the plain closing line of a whole run, `N passed, N failed, N skipped`: the sum of vitest's summaries in the given logs.
// Unless `--status` is 0, at least one counts as failed.
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs, stripVTControlCharacters } from 'node:util'

const { values, positionals: logs } = parseArgs({
  allowPositionals: true,
  options: { status: { type: 'string', default: '0' } },
})
const counts = { passed: 0, failed: 0, skipped: 0 }
for (const log of logs.filter(existsSync)) {
  const lines = stripVTControlCharacters(readFileSync(log, 'utf8')).split('\n')
  for (const summary of lines.filter((line) => /^\s*Tests\s+\d/.test(line)))
    for (const what of Object.keys(counts)) counts[what] += Number(new RegExp(`(\\d+) ${what}`).exec(summary)?.[1] ?? 0)
}
if (values.status !== '0' && counts.failed === 0) counts.failed = 1 // not a test: the linter, a build
console.log(
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(', '),
)
