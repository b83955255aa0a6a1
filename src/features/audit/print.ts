/** Formats an audit as lines: the sample for use without a terminal, and the result of the labels. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { colours, oneLine, textWidth, wrapText } from '../../cli/terminal/style.ts'
import type { JudgeDecision } from '../../flows/labels/judge_decisions.ts'
import { auditText } from '../../phases/4-report/judge/audit_text.ts'
import { type AuditSession, labelDecision } from './audit.ts'

/** Stores the labels of --label after checking all of them. Returns their number. */
export async function applyLabels(audit: AuditSession, given: readonly string[]): Promise<number> {
  const words: Readonly<Record<string, boolean | null>> = { agree: true, disagree: false, undo: null }
  const labels = given.map((text) => {
    const [id = '', word = ''] = text.split('=')
    const agree = words[word]
    if (id === '' || agree === undefined) {
      throw new UserError(`--label "${text}": invalid form`, 'expected ID=agree, ID=disagree or ID=undo')
    }
    if (!audit.decisions.some((one) => one.id === id)) {
      throw new UserError(
        `--label "${id}": no such decision`,
        'list decisions with their ids: whetstone audit <workspace> --json',
      )
    }
    return { id, agree }
  })
  for (const one of labels) await labelDecision(audit, one, new Date())
  return labels.length
}

/** The sample: one decision per line (JSON), or with the details needed to judge it. */
export function sampleLines(audit: AuditSession, json: boolean): string[] {
  if (json) return audit.sample.map((one) => jsonText({ type: 'decision', ...shownDecision(audit, one) }))
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
    'cannot ask without a terminal: use --label ID=agree or ID=disagree; --json shows what the judge saw.',
  ]
}

function shownDecision(audit: AuditSession, { graded, folder, ...one }: JudgeDecision) {
  const met = audit.labels.get(one.id) ?? null
  const { text, passed, evidence, evidence_verified } = graded
  return { ...one, benchmark: folder, text, judge_passed: passed, evidence, evidence_verified, met }
}

/** `benchmark`: with the labels; null: there are none. */
export function auditLines(audit: AuditSession, benchmark: Benchmark | null, json: boolean): string[] {
  const summary = benchmark?.audit ?? null
  if (json) {
    const open = audit.sample.filter(({ id }) => !audit.labels.has(id)).length
    const counts = { decisions: audit.decisions.length, sample: audit.sample.length, unlabelled: open }
    return [jsonText({ type: 'result', exit_code: 0, folder: audit.folder, ...counts, audit: summary })]
  }
  const { bold, yellow } = colours(process.stdout)
  if (summary === null) return []
  const { lines, banner } = auditText(summary, benchmark?.statistics?.judge_difference)
  const width = textWidth(process.stdout)
  const [first = '', ...more] = lines
  return [
    ...wrapText(first, width).map((line) => bold(line)),
    ...more.flatMap((line) => wrapText(line, width)),
    ...(banner === null ? [] : wrapText(banner, width).map((line) => yellow(line))),
  ]
}
