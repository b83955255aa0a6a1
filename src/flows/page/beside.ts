/** What lies in a benchmark's folder besides its runs and that the page shows: notes, comparisons. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { z } from 'zod'
import { analysis } from '../../../schemas/analysis.ts'
import { comparison, comparisonError } from '../../../schemas/comparison.ts'
import type { PageExtras, PageNote } from '../../../schemas/page.ts'
import type { Beside } from '../../phases/4-report/page/page.ts'
import { auditWorkspace } from '../label.ts'
import { evaluationExtras } from './evaluation.ts'
import { known } from './known.ts'
import { feedbackIn } from './notes.ts'
import { workspaceExtras } from './workspace.ts'

/** A file that is not there or cannot be read is no part of the page. */
export function besideOf(folder: string): Pick<Beside, 'feedback' | 'extras'> {
  return { feedback: notesOf(path.join(folder, 'feedback.json')), extras: extrasOf(folder) }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Notes as the page carries them. */
export function notesOf(file: string): PageNote[] {
  return feedbackIn(file).map((one) => ({ run_id: one.run_id, feedback: one.feedback, timestamp: one.timestamp }))
}

function extrasOf(folder: string): PageExtras {
  const files = names(folder)
    .filter((name) => name.startsWith('eval-'))
    .flatMap((one) => names(path.join(folder, one)).map((name) => `${one}/${name}`))
    .filter((name) => /\/(comparison(_error)?-\d+|analysis)\.json$/.test(name)) // few of thousands: sorting by words is slow
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const found = <S extends z.ZodType>(name: RegExp, schema: S) =>
    files.flatMap((file) => {
      const one = name.test(file) ? known(schema, path.join(folder, file)) : null
      return one === null ? [] : [{ name: file, is: one }]
    })
  const comparisons = found(/\/comparison-/, comparison).map(({ name, is }) => ({ name, comparison: is }))
  const analyses = found(/\/analysis\./, analysis).map(({ name, is }) => ({ name, analysis: is }))
  const judged = new Set(comparisons.map(({ name }) => name))
  const comparison_errors = found(/\/comparison_error-/, comparisonError).flatMap(({ name, is }) =>
    'value' in is && !judged.has(name.replace('_error', '')) ? [{ name, reason: is.value.reason }] : [],
  )
  return {
    ...workspaceExtras(auditWorkspace(folder)),
    ...evaluationExtras(folder),
    ...(comparisons.length > 0 && { comparisons }),
    ...(comparison_errors.length > 0 && { comparison_errors }),
    ...(analyses.length > 0 && { analyses }),
  }
}
