/** What the page shows of an eval: eval.json in its folder, and the reports of the package that it was about. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { evalReport } from '../../../schemas/eval_report.ts'
import { type EvalResult, evalResult } from '../../../schemas/eval_result.ts'
import type { PageEvaluation, PageExtras } from '../../../schemas/page.ts'
import { known } from './known.ts'

const mostReports = 50

/** Nothing for a folder without eval.json. */
export function evaluationExtras(folder: string): Pick<PageExtras, 'evaluation'> {
  const found = known(evalResult, path.join(folder, 'eval.json'))
  if (found === null) return {}
  return { evaluation: 'value' in found ? { value: slim(found.value) } : found }
}

function slim(result: EvalResult): PageEvaluation {
  const { format, name, version, started_at, summary, cases, golden = null, root } = result
  const kept = golden && { lines: golden.lines, threshold: golden.threshold, stopped: golden.stopped }
  const reports = format === 'aam' ? reportsIn(path.join(root, 'evals/reports')) : []
  return { format, name, version, started_at, summary, cases, golden: kept, reports }
}

/** Newest first; what is no report is passed over. */
function reportsIn(folder: string): PageEvaluation['reports'] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .slice(0, mostReports)
    .flatMap((name) => {
      const found = known(evalReport, path.join(folder, name))
      if (found === null || !('value' in found)) return []
      const { id, timestamp, summary, agent } = found.value
      return [{ id, timestamp, summary, model: agent.model ?? null }]
    })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
