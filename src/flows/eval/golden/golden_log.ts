/** Writes golden test results to the agent's evals/runs/: lines, responses, a sample of verdicts. Changes nothing else of the agent. */
import path from 'node:path'
import type { EvalResult } from '../../../../schemas/eval_result.ts'
import type { GoldenRunLine } from '../../../../schemas/golden.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import { errnoCode, errorMessage } from '../../../base/errors/error.ts'
import { drawAuditSample } from '../../../phases/4-report/golden/audit_sample.ts'
import { goldenLine } from '../../../phases/4-report/golden/run_line.ts'
import { openGoldenRuns, refuseBadRuns } from '../../../store/artefacts/golden_runs.ts'
import { readRun } from '../../../store/store.ts'
import type { PreparedEval } from '../eval_request.ts'
import { describeCapUsage } from './cost_caps.ts'

export interface FinishedEval {
  plan: Plan
  result: EvalResult
  /** Why some cases did not run; null: all ran. */
  stopped: string | null
  prepared: Pick<PreparedEval, 'root' | 'guardrails'>
  now: Date
}

/** Throws UserError where golden tests can't write their log. */
export function refuseUnloggable({ plan, root }: Pick<PreparedEval, 'plan' | 'root'>, now: Date): void {
  if (plan.suite.format === 'golden') refuseBadRuns(path.join(root, 'evals'), localDate(now))
}

/**
 * Adds what the summary needs; other formats are unchanged. Cases not reached leave no line. A disk error is recorded in the result:
 * verdicts stay valid, and the same command writes the log later.
 */
export async function writeGoldenLog(ended: FinishedEval): Promise<EvalResult> {
  const { plan, result, stopped, prepared, now } = ended
  if (plan.suite.format !== 'golden') return result
  const runs = openGoldenRuns(path.join(result.root, 'evals'))
  const date = localDate(new Date(result.started_at))
  const logged = new Map(runs.linesOf(date).map((line) => [logLineKey(line), line]))
  const made = await buildLogLines(ended)
  const [first] = plan.cases.flatMap(({ judging }) => (judging?.kind === 'golden' ? [judging.golden] : []))
  const lines: GoldenRunLine[] = []
  const keep = async () => {
    for (const { line, said } of made) {
      const before = logged.get(logLineKey(line))?.agent_response_path
      const response = said === '' ? '' : (before ?? (await runs.keepResponse(date, line.test_id, said)))
      lines.push({ ...line, agent_response_path: response })
    }
    const fresh = lines.filter((line) => logged.get(logLineKey(line))?.verdict !== line.verdict)
    await runs.append(date, fresh)
    await runs.keepSample(drawAuditSample(fresh, first?.judge.audit_sample_pct ?? 0))
  }
  const unwritten = await keep().then(() => null, diskErrorMessage)
  const decisions = made.filter(({ line: { verdict } }) => verdict === 'pass' || verdict === 'fail').length
  const costs = describeCapUsage(prepared, now)
  const told = { ...(costs.length > 0 && { costs }), stopped, ...(unwritten !== null && { unwritten }) }
  const all = unwritten === null ? lines : made.map(({ line }) => line)
  const threshold = first?.rubric.threshold_pass ?? 4
  const open = runs.openSamples()
  return { ...result, golden: { log: runs.fileOf(date), lines: all, threshold, open, decisions, ...told } }
}

/** Returns the system's message; rethrows any error that is not from the system. */
function diskErrorMessage(error: unknown): string {
  if (errnoCode(error) === null) throw error
  return errorMessage(error)
}

/** A line for each test, without its response file, and the agent's response. */
async function buildLogLines({ plan, result }: FinishedEval): Promise<{ line: GoldenRunLine; said: string }[]> {
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

/** The key of a test's run: a resumed eval does not repeat its line. */
function logLineKey({ ts, test_id }: GoldenRunLine): string {
  return `${ts} ${test_id}`
}

/** The date in the user's time zone. */
function localDate(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}
