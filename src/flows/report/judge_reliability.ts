/** Summarizes how reliable a benchmark's judge is, from blind comparisons and audits. */
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { summarizeAuditDecisions } from '../../phases/4-report/judge/audit_summary.ts'
import { estimateJudgeErrors } from '../../phases/4-report/judge/judge_errors.ts'
import type { JudgeErrors } from '../../phases/4-report/stats/scores/judge_error.ts'
import { readAuditLog } from '../../store/artefacts/audit_log.ts'
import type { OnDamage } from '../../store/artefacts/damage.ts'
import { summarizeComparisons } from '../comparisons/summarize_comparisons.ts'
import type { FlowContext } from '../flow_context.ts'
import { readJudgeDecisions } from '../labels/judge_decisions.ts'

export interface JudgeReliability extends Pick<Benchmark, 'comparison' | 'audit'> {
  /** The judge's errors; null: there was no audit, or the labels cover only one kind. */
  judge: JudgeErrors | null
}

/** The parts of benchmark.json that do not come from gradings. */
export async function assessJudgeReliability(
  folder: string,
  plan: Plan,
  context: FlowContext,
): Promise<JudgeReliability> {
  const tell =
    (mended: string): OnDamage =>
    (damage) =>
      context.emit({ type: 'artefact_damaged', ...damage, mended })
  const comparison = summarizeComparisons(folder, plan, tell('ignored; the same command writes it again'))
  const audited = await readAuditedDecisions(
    folder,
    plan,
    tell('ignored; a person wrote this line: fix it, or label the decision again'),
  )
  const audit = audited && summarizeAuditDecisions(audited)
  return {
    judge: audited && estimateJudgeErrors(audited),
    ...(comparison && { comparison }),
    ...(audit && { audit }),
  }
}

/** The judge's decisions with people's labels; null: this workspace has no labels. */
async function readAuditedDecisions(folder: string, plan: Plan, tell: OnDamage) {
  const labels = readAuditLog(path.dirname(path.dirname(folder)), tell)
  if (labels.size === 0) return null
  const decisions = await readJudgeDecisions(folder, plan)
  return decisions.map(({ id, run_id, configuration, graded: { passed } }) => {
    return { id, run_id, configuration, passed, met: labels.get(id)?.met ?? null }
  })
}
