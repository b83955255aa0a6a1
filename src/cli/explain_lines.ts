/** What --explain adds to a plan: of each run whether it is taken from the cache, and if not why. */
import type { CacheExplanation } from '../../schemas/cache_report.ts'
import { columns, oneLine } from './style.ts'

export function explainLines(runs: readonly CacheExplanation[]): string[] {
  if (runs.length === 0) return ['', 'cache     nothing is kept in this workspace yet']
  const rows = runs.map((run) => [run.run_id, run.status, ...textsOf(run)])
  return ['', ...columns([['run', 'cache', 'grading', 'why'], ...rows]).map((line) => oneLine(line, 500))]
}

function textsOf(run: CacheExplanation): [string, string] {
  switch (run.status) {
    case 'reused':
      return [run.graded ? 'reused' : 'anew', `all is the same as in ${run.from.benchmark}`]
    case 'made':
      return ['anew', run.why]
  }
}
