/** What a benchmark says of its judge besides the grades: blind comparisons, and what people found in an audit. */
import path from 'node:path'
import type { Benchmark } from '../../schemas/benchmark.ts'
import type { Plan } from '../../schemas/plan.ts'
import { auditSummary, judgeSample } from '../phases/4-report/audit_summary.ts'
import type { JudgeSample } from '../phases/4-report/stats/judge_error.ts'
import { readAuditLog } from '../store/audit_log.ts'
import type { OnDamage } from '../store/damage.ts'
import type { FlowContext } from './context.ts'
import { comparisonsOf } from './summarize_comparisons.ts'

export interface Trust extends Pick<Benchmark, 'comparison' | 'audit'> {
  /** The judge's errors; null: nobody audited it, or what people said tells only of one kind. */
  judge: JudgeSample | null
}

/** The parts of benchmark.json that are made from other files than gradings. */
export async function trustOf(folder: string, plan: Plan, context: FlowContext): Promise<Trust> {
  const tell =
    (mended: string): OnDamage =>
    (damage) =>
      context.emit({ type: 'artefact_damaged', ...damage, mended })
  const comparison = comparisonsOf(folder, plan, tell('left out; the same command makes it anew'))
  const audited = await auditedOf(folder, plan, tell('left out; a person said it: mend the line, or say it again'))
  const audit = audited && auditSummary(audited)
  return {
    judge: audited && judgeSample(audited),
    ...(comparison && { comparison }),
    ...(audit && { audit }),
  }
}

/** The judge's decisions with what people say of them; null: nobody said anything in this workspace. */
async function auditedOf(folder: string, plan: Plan, tell: OnDamage) {
  const labels = readAuditLog(path.dirname(path.dirname(folder)), tell)
  if (labels.size === 0) return null
  const { decisionsOf } = await import('./audited.ts')
  const decisions = await decisionsOf(folder, plan)
  return decisions.map(({ id, configuration, graded: { passed } }) => {
    return { id, configuration, passed, met: labels.get(id)?.met ?? null }
  })
}
