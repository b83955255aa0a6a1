/** How reliable a benchmark's judge is: features read it from what they stored besides the gradings; without such a feature nothing is known. */
import type { Benchmark } from '../../schemas/benchmark.ts'
import type { Plan } from '../../schemas/plan.ts'
import type { JudgeErrors } from '../phases/4-report/stats/scores/judge_error.ts'
import type { OnDamage } from '../store/artefacts/damage.ts'
import type { FlowContext } from './flow_context.ts'

/** The parts of benchmark.json that do not come from gradings. */
interface JudgeReliability extends Pick<Benchmark, 'comparison' | 'audit'> {
  /** The judge's errors; absent, null: not known. */
  judge?: JudgeErrors | null
}

/** `folder`: the benchmark, absolute. `tell`: reports damage; its argument says what happens with the file. */
export type AssessJudge = (folder: string, plan: Plan, tell: (mended: string) => OnDamage) => Promise<JudgeReliability>

const rows: Record<string, () => Promise<AssessJudge>> = {}

/** Adds those of features; again changes nothing. */
export function addJudgeReliability(more: Readonly<typeof rows>): void {
  Object.assign(rows, more)
}

/** Loads them at the start: until the report the program may be replaced by another version. */
export const loadJudgeReliability = () => Promise.all(Object.values(rows).map((load) => load()))

export async function assessJudgeReliability(folder: string, plan: Plan, context: FlowContext) {
  const tell =
    (mended: string): OnDamage =>
    (damage) =>
      context.emit({ type: 'artefact_damaged', ...damage, mended })
  const all: JudgeReliability = {}
  for (const assess of await loadJudgeReliability()) Object.assign(all, await assess(folder, plan, tell))
  return all
}
