/** The page's data on an eval: eval.json in its folder, and the reports of its package. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { evalReport } from '../../../../schemas/eval_report.ts'
import { type EvalResult, evalResult } from '../../../../schemas/eval_result.ts'
import type { PageEvaluation, PageExtras } from '../../../../schemas/page.ts'
import { parseOrRaw } from './parse_or_raw.ts'

const mostReports = 50

/** Empty for a folder without eval.json. */
export function readEvaluationExtras(folder: string): Pick<PageExtras, 'evaluation'> {
  const found = parseOrRaw(evalResult, path.join(folder, 'eval.json'))
  if (found === null) return {}
  return { evaluation: 'value' in found ? { value: toPageEvaluation(found.value) } : found }
}

function toPageEvaluation(result: EvalResult): PageEvaluation {
  const { format, name, version, started_at, summary, cases, golden = null, root } = result
  const kept = golden && { lines: golden.lines, threshold: golden.threshold, stopped: golden.stopped }
  const reports = format === 'aam' ? readPageReports(path.join(root, 'evals/reports')) : []
  return { format, name, version, started_at, summary, cases, golden: kept, reports }
}

/** Newest first; skips files that are not reports. */
function readPageReports(folder: string): PageEvaluation['reports'] {
  return listReportNames(folder)
    .filter((name) => name.endsWith('.json'))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .slice(0, mostReports)
    .flatMap((name) => {
      const found = parseOrRaw(evalReport, path.join(folder, name))
      if (found === null || !('value' in found)) return []
      const { id, timestamp, summary, agent } = found.value
      return [{ id, timestamp, summary, model: agent.model ?? null }]
    })
}

function listReportNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
