/** --explain: for each run, whether it comes from the cache, and if not why. */
import type { CacheExplanation } from '../../../../schemas/cache_report.ts'
import { alignColumns, oneLine } from '../../terminal/style.ts'

export function explainLines(runs: readonly CacheExplanation[]): string[] {
  if (runs.length === 0) return ['', 'cache     this workspace has no cached runs yet']
  const rows = runs.map((run) => [run.run_id, run.status === 'made' ? 'new' : run.status, ...explanationTexts(run)])
  return ['', ...alignColumns([['run', 'cache', 'grading', 'why'], ...rows]).map((line) => oneLine(line, 500))]
}

function explanationTexts(run: CacheExplanation): [string, string] {
  switch (run.status) {
    case 'reused':
      return [run.graded ? 'reused' : 'new', `everything is the same as in ${run.from.benchmark}`]
    case 'made':
      return ['new', run.why]
  }
}
