/** What differs between two benchmarks besides their results: a difference there may be the whole reason for one here. */
import type { PlanDifference } from '../../../schemas/benchmark_diff.ts'
import { chosenText } from './chosen_text.ts'
import type { Side } from './diff.ts'

type Fact = string | null

/** Only what differs; `null` where one of the two does not say. */
export function diffPlans(before: Side, after: Side): PlanDifference[] {
  const [old, now] = [factsOf(before), factsOf(after)]
  return Object.keys(now).flatMap((what) => {
    const [a, b] = [old[what] ?? null, now[what] ?? null]
    return a === b ? [] : { what, before: a, after: b }
  })
}

function factsOf({ benchmark, plan }: Side): Record<string, Fact> {
  const { metadata } = benchmark
  const text = (value: unknown): Fact => (value === null || value === undefined ? null : String(value))
  const options = plan?.options
  const often = plan && (options?.judge_samples ?? 1)
  return {
    'agent command': text(options?.engine.command),
    'judge command': text(options?.judge?.command),
    'base URL': text(options?.engine.base_url),
    "judge's base URL": text(options?.judge?.base_url),
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
    baseline: text(plan?.baseline?.sha256.slice(0, 12)),
    'cases run': benchmark.chosen === undefined ? 'all' : chosenText(benchmark.chosen),
    'runs a case': text(metadata.runs_per_configuration),
    timeout: text(plan?.options.timeout_seconds),
    'max turns': text(plan?.options.max_turns),
    activation: text(plan?.options.activation),
  }
}
