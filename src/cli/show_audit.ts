/** An audit in lines: the sample for those without a terminal, and what follows from the labels. */
import type { AuditSummary } from '../../schemas/audit.ts'
import { UserError } from '../base/error.ts'
import { type Audit, label } from '../flows/audit.ts'
import type { Decision } from '../flows/audited.ts'
import { auditText } from '../phases/4-report/audit_text.ts'
import { colours, oneLine, textWidth, wrap } from './style.ts'

/** Keeps the labels of --label; all are checked before the first is written. Gives their number. */
export async function said(audit: Audit, given: readonly string[]): Promise<number> {
  const words: Readonly<Record<string, boolean | null>> = { agree: true, disagree: false, undo: null }
  const labels = given.map((text) => {
    const [id = '', word = ''] = text.split('=')
    const agree = words[word]
    if (id === '' || agree === undefined) {
      throw new UserError(`--label ${text}: not understood`, 'write ID=agree, ID=disagree or ID=undo')
    }
    if (!audit.decisions.some((one) => one.id === id)) {
      throw new UserError(
        `--label ${id}: no such decision`,
        'whetstone audit <workspace> --json lists them with their ids',
      )
    }
    return { id, agree }
  })
  for (const one of labels) await label(audit, one, new Date())
  return labels.length
}

/** The sample, a decision a line (JSON), or with what is needed to judge it. */
export function listed(audit: Audit, json: boolean): string[] {
  if (json) return audit.sample.map((one) => JSON.stringify({ type: 'decision', ...shown(audit, one) }))
  const lines = audit.sample.map((one) => {
    const label = audit.labels.get(one.id)
    const mark = label === undefined ? '' : label === one.graded.passed ? ' (you agreed)' : ' (you disagreed)'
    return oneLine(
      `${one.id} ${one.graded.passed ? 'passed' : 'failed'} · ${one.run_id} · ${one.graded.text}${mark}`,
      300,
    )
  })
  return [
    ...lines,
    'No terminal to ask on: say it with --label ID=agree or ID=disagree; --json shows what the judge saw.',
  ]
}

function shown(audit: Audit, { graded, folder, ...one }: Decision) {
  const met = audit.labels.get(one.id) ?? null
  const { text, passed, evidence, evidence_verified } = graded
  return { ...one, benchmark: folder, text, judge_passed: passed, evidence, evidence_verified, met }
}

export function auditLines(audit: Audit, summary: AuditSummary | null, json: boolean): string[] {
  if (json) {
    const open = audit.sample.filter(({ id }) => !audit.labels.has(id)).length
    const counts = { decisions: audit.decisions.length, sample: audit.sample.length, unlabelled: open }
    return [JSON.stringify({ type: 'result', exit_code: 0, folder: audit.folder, ...counts, audit: summary })]
  }
  const { bold, yellow } = colours(process.stdout)
  if (summary === null) return []
  const { lines, banner } = auditText(summary)
  const width = textWidth(process.stdout)
  const [first = '', ...more] = lines
  return [
    ...wrap(first, width).map((line) => bold(line)),
    ...more.flatMap((line) => wrap(line, width)),
    ...(banner === null ? [] : wrap(banner, width).map((line) => yellow(line))),
  ]
}
