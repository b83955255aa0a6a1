/** What differs between two benchmarks besides their results: it may explain a difference in the results. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { PlanDifference } from '../../../../schemas/benchmark_diff.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import { findArms } from '../benchmark/arms.ts'
import { chosenText } from '../text/selected_cases.ts'

type Fact = string | null

/** Only differences; `null`: that benchmark does not say. */
export function diffPlans(before: DiffSide, after: DiffSide): PlanDifference[] {
  const [old, now] = [listPlanFacts(before), listPlanFacts(after)]
  return Object.keys(now).flatMap((what) => {
    const [a, b] = [old[what] ?? null, now[what] ?? null]
    return a === b ? [] : { what, before: a, after: b }
  })
}

function listPlanFacts({ benchmark, plan }: DiffSide): Record<string, Fact> {
  const { metadata } = benchmark
  const text = (value: unknown): Fact => (value === null || value === undefined ? null : String(value))
  const options = plan?.options
  const often = plan && (options?.judge_samples ?? 1)
  return {
    'agent command': text(options?.engine.command),
    'judge command': text(options?.judge?.command),
    'base URL': text(options?.engine.base_url),
    "judge's base URL": text(options?.judge?.base_url),
    effort: text(options?.engine.effort),
    "judge's effort": text(options?.judge?.effort),
    'judge samples': text(often),
    'require evidence': text(plan && (options?.require_evidence ?? false)),
    'on timeout': text(options?.on_timeout),
    skill: metadata.skill_name,
    'skill version': text(plan?.skill.sha256.slice(0, 12)),
    suite: text(plan?.suite.sha256.slice(0, 12)),
    model: metadata.executor_model,
    engine: text(plan?.options.engine.name ?? metadata.engine),
    'engine version': text(metadata.engine_version),
    judge: text(
      plan === null ? metadata.judge : [plan.options.judge?.name, plan.options.judge?.model].filter(Boolean).join(':'),
    ),
    'compared with': text(findArms(benchmark).baseline),
    baseline: text(plan?.baseline?.sha256.slice(0, 12)),
    'cases run': benchmark.chosen === undefined ? 'all' : chosenText(benchmark.chosen),
    'runs a case': text(metadata.runs_per_configuration),
    timeout: text(plan?.options.timeout_seconds),
    'max turns': text(plan?.options.max_turns),
    activation: text(plan?.options.activation),
  }
}

/** One of the two benchmarks, as it is on disk. */
export interface DiffSide {
  /** As the user named it. */
  name: string
  benchmark: Benchmark
  /** null: another tool wrote it, or it is older than plans. */
  plan: Plan | null
}
