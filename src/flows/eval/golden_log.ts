/** What an eval of golden tests leaves in the agent's evals/runs/: lines, responses, a sample of verdicts to look at. Nothing else of the agent is written. */
import path from 'node:path'
import type { EvalResult } from '../../../schemas/eval_result.ts'
import type { GoldenRunLine } from '../../../schemas/golden.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { goldenLine } from '../../phases/4-report/golden/line.ts'
import { auditSample } from '../../phases/4-report/golden/sample.ts'
import { openGoldenRuns } from '../../store/golden_runs.ts'
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

/** The result with what its summary needs; of another format as it is. Cases that the work did not get to leave no line. */
export async function withGoldenLog({ plan, result, stopped, prepared, now }: EndedEval): Promise<EvalResult> {
  if (plan.suite.format !== 'golden') return result
  const evals = path.join(result.root, 'evals')
  const runs = openGoldenRuns(evals)
  const date = localDate(new Date(result.started_at))
  const logged = new Map(runs.linesOf(date).map((line) => [keyOf(line), line]))
  const lines: GoldenRunLine[] = []
  for (const [index, one] of plan.cases.entries()) {
    const verdict = result.cases[index]
    if (verdict === undefined || (verdict.run === null && one.cannot_run === null)) continue
    const stored = verdict.run === null ? null : await readRun(result.folder, verdict.run)
    const said = stored?.record.final_response ?? ''
    const run = { case: one, result: verdict, record: stored?.record ?? null, grading: stored?.grading ?? null }
    const made = goldenLine(run, path.basename(result.root), '')
    const line = stored === null ? { ...made, ts: result.started_at } : made
    const before = logged.get(keyOf(line))
    const response =
      said === '' ? '' : (before?.agent_response_path ?? (await runs.keepResponse(date, one.eval_name, said)))
    lines.push({ ...line, agent_response_path: response })
  }
  const isNew = (line: GoldenRunLine) => logged.get(keyOf(line))?.verdict !== line.verdict
  const log = await runs.append(date, lines.filter(isNew))
  const [first] = plan.cases.flatMap(({ judging }) => (judging?.kind === 'golden' ? [judging.golden] : []))
  await runs.keepSample(auditSample(lines.filter(isNew), first?.judge.audit_sample_pct ?? 0))
  const decisions = lines.filter(({ verdict }) => verdict === 'pass' || verdict === 'fail').length
  const threshold = first?.rubric.threshold_pass ?? 4
  const costs = capNotes(prepared, now)
  const told = { ...(costs.length > 0 && { costs }), stopped }
  return { ...result, golden: { log, lines, threshold, open: runs.openSamples(), decisions, ...told } }
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
