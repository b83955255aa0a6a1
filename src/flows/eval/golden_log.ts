/** What an eval of golden tests leaves in the agent's evals/runs/: lines, responses, a sample of verdicts to look at. Nothing else of the agent is written. */
import path from 'node:path'
import type { EvalResult } from '../../../schemas/eval_result.ts'
import type { GoldenRunLine } from '../../../schemas/golden.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { codeOf, messageOf } from '../../base/error.ts'
import { goldenLine } from '../../phases/4-report/golden/line.ts'
import { auditSample } from '../../phases/4-report/golden/sample.ts'
import { openGoldenRuns, refuseBadRuns } from '../../store/golden_runs.ts'
import { readRun } from '../../store/store.ts'
import { capNotes } from './cost_caps.ts'
import type { PreparedEval } from './request.ts'

export interface EndedEval {
  plan: Plan
  result: EvalResult
  /** Why not all was run; null: all was. */
  stopped: string | null
  prepared: Pick<PreparedEval, 'root' | 'guardrails'>
  now: Date
}

/** Throws UserError where golden tests can't leave what they leave. */
export function refuseUnloggable({ plan, root }: Pick<PreparedEval, 'plan' | 'root'>, now: Date): void {
  if (plan.suite.format === 'golden') refuseBadRuns(path.join(root, 'evals'), localDate(now))
}

/**
 * The result with what its summary needs; of another format as it is. Cases that the work did not get to leave no line. What the disk
 * refuses is told in it: the verdicts are there all the same, and the same command writes them later.
 */
export async function withGoldenLog(ended: EndedEval): Promise<EvalResult> {
  const { plan, result, stopped, prepared, now } = ended
  if (plan.suite.format !== 'golden') return result
  const runs = openGoldenRuns(path.join(result.root, 'evals'))
  const date = localDate(new Date(result.started_at))
  const logged = new Map(runs.linesOf(date).map((line) => [keyOf(line), line]))
  const made = await madeLines(ended)
  const [first] = plan.cases.flatMap(({ judging }) => (judging?.kind === 'golden' ? [judging.golden] : []))
  const lines: GoldenRunLine[] = []
  const keep = async () => {
    for (const { line, said } of made) {
      const before = logged.get(keyOf(line))?.agent_response_path
      const response = said === '' ? '' : (before ?? (await runs.keepResponse(date, line.test_id, said)))
      lines.push({ ...line, agent_response_path: response })
    }
    const fresh = lines.filter((line) => logged.get(keyOf(line))?.verdict !== line.verdict)
    await runs.append(date, fresh)
    await runs.keepSample(auditSample(fresh, first?.judge.audit_sample_pct ?? 0))
  }
  const unwritten = await keep().then(() => null, refusalOfDisk)
  const decisions = made.filter(({ line: { verdict } }) => verdict === 'pass' || verdict === 'fail').length
  const costs = capNotes(prepared, now)
  const told = { ...(costs.length > 0 && { costs }), stopped, ...(unwritten !== null && { unwritten }) }
  const all = unwritten === null ? lines : made.map(({ line }) => line)
  const threshold = first?.rubric.threshold_pass ?? 4
  const open = runs.openSamples()
  return { ...result, golden: { log: runs.fileOf(date), lines: all, threshold, open, decisions, ...told } }
}

/** Gives what the system said; throws what is no refusal of it. */
function refusalOfDisk(error: unknown): string {
  if (codeOf(error) === null) throw error
  return messageOf(error)
}

/** A line a test, without the place of its response, and what the agent said in it. */
async function madeLines({ plan, result }: EndedEval): Promise<{ line: GoldenRunLine; said: string }[]> {
  const lines = []
  for (const [index, one] of plan.cases.entries()) {
    const verdict = result.cases[index]
    if (verdict === undefined || (verdict.run === null && one.cannot_run === null)) continue
    const stored = verdict.run === null ? null : await readRun(result.folder, verdict.run)
    const run = { case: one, result: verdict, record: stored?.record ?? null, grading: stored?.grading ?? null }
    const made = goldenLine(run, path.basename(result.root), '')
    const line = stored === null ? { ...made, ts: result.started_at } : made
    lines.push({ line, said: stored?.record.final_response ?? '' })
  }
  return lines
}

/** A run of a test: an eval that goes on writes the line of none again. */
function keyOf({ ts, test_id }: GoldenRunLine): string {
  return `${ts} ${test_id}`
}

/** The day as the user's clock has it. */
function localDate(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}
