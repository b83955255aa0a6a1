/** Reads what a page shows from a benchmark's folder besides its runs: notes and comparisons. */
import path from 'node:path'
import type * as z from 'zod'
import { analysis } from '../../../../schemas/analysis.ts'
import { comparison, comparisonError } from '../../../../schemas/comparison.ts'
import { evalReport } from '../../../../schemas/eval_report.ts'
import { type EvalResult, evalResult } from '../../../../schemas/eval_result.ts'
import type { PageEvaluation, PageExtras } from '../../../../schemas/page.ts'
import { suiteFormats } from '../../../phases/1-plan/formats/table.ts'
import type { BenchmarkExtras } from '../../../phases/4-report/page/build_page.ts'
import { parseOrRaw } from '../run_detail.ts'
import { readFeedbackNotes } from './notes.ts'
import { listEntryNames, pageWorkspace, readWorkspaceExtras } from './workspace.ts'

export const comparedFile = /(?:^|\/)(?:comparison(?:_error)?|analysis)(?:-\d+)?\.json$/

/** The files in a case's folder; of other tools all but outputs. Relative, with /. */
function listCaseFiles(folder: string): string[] {
  const names = listEntryNames(folder)
  if (!names.includes('plan.json'))
    return listEntryNames(folder, true).filter((name) => !/(?:^|\/)(?:outputs|node_modules)\//.test(name))
  const cases = names.filter((name) => name.startsWith('eval-'))
  return cases.flatMap((one) => listEntryNames(path.join(folder, one)).map((name) => `${one}/${name}`))
}

/** Skips files that are missing or unreadable. */
export function readBenchmarkExtras(folder: string): Pick<BenchmarkExtras, 'feedback' | 'extras'> {
  const files = listCaseFiles(folder)
    .filter((name) => comparedFile.test(name)) // filter first: few of thousands of files match
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const found = <S extends z.ZodType>(name: RegExp, schema: S) =>
    files.flatMap((file) => {
      const one = name.test(file) ? parseOrRaw(schema, path.join(folder, file)) : null
      return one === null ? [] : [{ name: file, is: one }]
    })
  const comparisons = found(/comparison[-\d]*\.json$/, comparison).map(({ name, is }) => ({ name, comparison: is }))
  const analyses = found(/analysis[-\d]*\.json$/, analysis).map(({ name, is }) => ({ name, analysis: is }))
  const judged = new Set(comparisons.map(({ name }) => name))
  const comparison_errors = found(/comparison_error-/, comparisonError).flatMap(({ name, is }) =>
    'value' in is && !judged.has(name.replace('_error', '')) ? [{ name, reason: is.value.reason }] : [],
  )
  const extras = {
    ...readWorkspaceExtras(pageWorkspace(folder)),
    ...readEvaluationExtras(folder),
    ...(comparisons.length > 0 && { comparisons }),
    ...(comparison_errors.length > 0 && { comparison_errors }),
    ...(analyses.length > 0 && { analyses }),
  }
  return { feedback: readFeedbackNotes(path.join(folder, 'feedback.json')).reviews, extras }
}

const mostReports = 50

/** Empty for a folder without eval.json. */
function readEvaluationExtras(folder: string): Pick<PageExtras, 'evaluation'> {
  const found = parseOrRaw(evalResult, path.join(folder, 'eval.json'))
  if (found === null) return {}
  return { evaluation: 'value' in found ? { value: toPageEvaluation(found.value) } : found }
}

function toPageEvaluation(result: EvalResult): PageEvaluation {
  const { format, name, version, started_at, summary, cases, golden = null, root } = result
  const kept = golden && { lines: golden.lines, threshold: golden.threshold, stopped: golden.stopped }
  const folder = suiteFormats[format]?.reportFolder?.(root)
  const reports = folder === undefined ? [] : readPageReports(folder)
  return { format, name, version, started_at, summary, cases, golden: kept, reports }
}

/** Newest first; skips files that are not reports. */
function readPageReports(folder: string): PageEvaluation['reports'] {
  return listEntryNames(folder)
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
