/** The summary of a golden test run, as the format's documents print it, with what to review next. Pure. */
import type { EvalResult } from '../../../schemas/eval_result.ts'
import { type GoldenAuditLine, type GoldenRunLine, notInvoked } from '../../../schemas/golden.ts'
import { sumKnown } from '../../base/totals.ts'
import { formatDollars } from '../../phases/4-report/text/format.ts'
import { formatLocalDate } from './run_files.ts'

export type GoldenSummary = NonNullable<EvalResult['golden']> &
  Pick<EvalResult, 'name' | 'started_at' | 'duration_seconds'>

const width = 63

/** Lines of text; hard fails come first, because they must never happen. */
export function goldenSummary(summary: GoldenSummary, only: { totals: boolean }): string[] {
  const { name, started_at, lines } = summary
  const hard = lines.filter(({ hard_fails }) => hard_fails.length > 0)
  return [
    `${name.charAt(0).toUpperCase()}${name.slice(1)} evaluation — ${clock(new Date(started_at))}`,
    '═'.repeat(width),
    ...hard.map(
      (one) =>
        `‼ HARD FAIL ${one.test_id} (${one.category}): ${one.hard_fails.join(', ')} — ${one.judge_justification}`,
    ),
    ...(only.totals ? [] : lines.flatMap((one, index) => testLines(one, { index, of: lines.length }))),
    '─'.repeat(width),
    ...totals(summary),
    ...hints(summary),
  ]
}

function testLines(line: GoldenRunLine, { index, of }: { index: number; of: number }): string[] {
  const name = `[${index + 1}/${of}] ${line.test_id}`.padEnd(40)
  const score = line.weighted_score?.toFixed(2) ?? '   —'
  const head = `${name} ${`(${line.category})`.padEnd(14)} ${score}  ${words[line.verdict]}`
  if (line.verdict === 'pass') return [head]
  const unmet = (line.unmet_criteria ?? []).map((text) => `      not met: ${text}`)
  const why = line.error ?? line.judge_justification
  const response =
    line.agent_response_path === '' ? [] : [`      the agent's answer: evals/${line.agent_response_path}`]
  return [head, ...(why === '' ? [] : [`      ${why}`]), ...unmet, ...response]
}

const words = {
  pass: '✅ pass',
  fail: '❌ fail',
  judge_error: '⚠ judge error',
  skipped: '⚠ skipped',
} satisfies Record<GoldenRunLine['verdict'], string>

function totals({ lines, duration_seconds, log, unwritten }: GoldenSummary): string[] {
  const decided = lines.filter(({ verdict }) => verdict === 'pass' || verdict === 'fail')
  const passed = decided.filter(({ verdict }) => verdict === 'pass').length
  const share = decided.length === 0 ? 'nothing was decided' : `${Math.round((100 * passed) / decided.length)}%`
  const agent = sumKnown(lines.filter((one) => one.agent_model !== notInvoked).map((one) => one.agent_cost_usd))
  const judge = sumKnown(lines.filter((one) => one.judge_model !== notInvoked).map((one) => one.judge_cost_usd))
  const all = agent === null || judge === null ? null : agent + judge
  const average = averageScore(lines)
  return [
    `Pass rate: ${passed}/${decided.length} (${share})`,
    `Avg score: ${average === null ? '—' : average.toFixed(2)}`,
    `Hard fails: ${lines.reduce((count, one) => count + one.hard_fails.length, 0)}`,
    `Total cost: ${dollars(all)} (agent ${dollars(agent)} + judge ${dollars(judge)})`,
    `Duration: ${Math.round(duration_seconds)}s`,
    unwritten === undefined
      ? `Results saved: ${log}`
      : `Results NOT saved in ${log}: ${unwritten}; the same command writes them, without running a test again`,
  ]
}

function hints({ lines, threshold, open, decisions, costs = [], stopped }: GoldenSummary): string[] {
  const average = averageScore(lines)
  const allPass = lines.length > 0 && lines.every(({ verdict }) => verdict === 'pass')
  const low = allPass && average !== null && average < threshold + recalibrationMargin
  return [
    ...(stopped === null ? [] : [`PARTIAL: ${stopped}`]),
    ...fallbackLines(lines),
    ...costs,
    ...(low
      ? [
          `All tests pass, but with an average of only ${average.toFixed(2)}: the rubric or threshold_pass (${threshold}) may need recalibration`,
        ]
      : []),
    ...auditHead(open, lines, decisions),
    ...open.map(auditLine),
    ...(open.length === 0
      ? []
      : ['  read the answer and the reason, then set "human" to "agree" or "disagree" in evals/runs/audit_log.jsonl']),
  ]
}

/** Which model judged in place of one that could not be asked, with the first reason: others differ in no more than an id. */
function fallbackLines(lines: GoldenSummary['lines']): string[] {
  const tests = new Map<string, { ids: string[]; reasons: string[] }>()
  for (const { test_id, judge_model, judges_unavailable: reasons = [] } of lines) {
    if (reasons.length === 0) continue
    const asked = reasons.map((reason) => reason.split(': ', 1)[0]).join(', ')
    const text = `Judged by ${judge_model} instead of ${asked}`
    tests.set(text, { reasons, ...tests.get(text), ids: [...(tests.get(text)?.ids ?? []), test_id] })
  }
  return [...tests].flatMap(([text, { ids, reasons }]) => [
    `${text}: ${ids.join(', ')}`,
    ...reasons.map((one) => `  ${one}`),
  ])
}

/** If every test passes the average is hardly below the threshold; within this margin it is called low. */
const recalibrationMargin = 0.25

/** The sample of this run comes from its own decisions; open lines of earlier runs are counted separately. */
function auditHead(open: GoldenSummary['open'], lines: GoldenSummary['lines'], decisions: number): string[] {
  const own = new Set(lines.map(({ ts, test_id }) => `${ts} ${test_id}`))
  const now = open.filter(({ ts, test_id }) => own.has(`${ts} ${test_id}`)).length
  const earlier = open.length - now
  const parts = [
    ...(now === 0 ? [] : [`${now} of ${decisions} decisions`]),
    ...(earlier === 0 ? [] : [`${earlier} of earlier runs`]),
  ]
  return parts.length === 0 ? [] : [`Audit sample for review: ${parts.join(', ')}`]
}

function auditLine(line: GoldenAuditLine): string {
  const { test_id, verdict, weighted_score, agent_response_path, judge_justification } = line
  const answer = agent_response_path === '' ? '' : ` — evals/${agent_response_path}`
  return `  ${test_id}: ${verdict} ${weighted_score?.toFixed(2) ?? '—'}${answer} — ${judge_justification}`
}

function averageScore(lines: readonly GoldenRunLine[]): number | null {
  const scores = lines.flatMap(({ weighted_score: score, verdict }) => (verdict === 'judge_error' ? [] : (score ?? [])))
  return scores.length === 0 ? null : scores.reduce((total, one) => total + one, 0) / scores.length
}

function dollars(usd: number | null): string {
  return usd === null ? 'unknown' : formatDollars(usd)
}

function clock(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${formatLocalDate(at)} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** How often people agree with the judge, in all and by dimension: the calibration record. */
export function calibrationLines(agent: string, samples: readonly GoldenAuditLine[]): string[] {
  const said = samples.filter(({ human }) => human !== null)
  const rows = new Map([['all', { agree: 0, of: 0 }]])
  const count = (name: string, agrees: boolean) => {
    const { agree, of } = rows.get(name) ?? { agree: 0, of: 0 }
    rows.set(name, { agree: agree + (agrees ? 1 : 0), of: of + 1 })
  }
  for (const { human, human_dimensions: wrong, scores = {} } of said) {
    count('all', human === 'agree')
    for (const name of Object.keys(scores)) count(name, (wrong ? (wrong[name] ?? 'agree') : human) === 'agree')
  }
  const shares = [...rows].filter(([, { of }]) => of > 0)
  return [
    `${agent}: ${said.length} of ${samples.length} sampled decisions are reviewed`,
    ...shares.map(([name, { agree, of }]) => `  ${name}: ${agree} of ${of} agree (${Math.round((100 * agree) / of)}%)`),
  ]
}
