/** What stopping runs early saved, compared with runs that ended by themselves. */
import type { TriggerRun, TriggerSaving } from '../../../../schemas/triggers.ts'

type Unit = TriggerSaving['unit']
export type RunAmounts = Pick<TriggerRun, 'outcome' | 'stopped' | 'cost' | 'tokens' | 'duration_ms'>

/** Runs of the same skill on the same engine that were not stopped early. */
export interface WholeRuns {
  /** From earlier measurements without early stopping. */
  measured: readonly RunAmounts[]
  /** From a benchmark, with the skill: other prompts, but the same kind of work. */
  benched: readonly RunAmounts[]
}

/** Compared with the closest available group. null: no run was stopped. */
export function measureSaving(runs: readonly RunAmounts[], { measured, benched }: WholeRuns): TriggerSaving | null {
  const decided = runs.filter(({ outcome }) => outcome === 'triggered' || outcome === 'not_triggered')
  const stopped = decided.filter((run) => run.stopped)
  if (stopped.length === 0) return null
  const isWhole = (run: RunAmounts) => run.outcome === 'triggered' && !run.stopped
  const candidates = [
    [measured.filter(isWhole), 'triggered runs that went to their end'],
    [benched.filter(isWhole), 'benchmark runs that read the skill'],
    [decided.filter((run) => !run.stopped), 'runs that did not trigger'],
  ] as const
  const [compared, basis] = candidates.find(([whole]) => whole.length > 0) ?? [[], 'none' as const]
  const unit =
    (['usd', 'tokens', 'seconds'] as const).find((one) => isKnown([...stopped, ...compared], one)) ?? 'seconds'
  const mean = averageAmount(stopped, unit)
  const meanWhole = compared.length === 0 ? null : averageAmount(compared, unit)
  const difference = meanWhole === null ? null : (meanWhole - mean) * stopped.length
  return {
    stopped: stopped.length,
    of: decided.length,
    unit,
    mean_stopped: mean,
    mean_whole: meanWhole,
    basis,
    saved: difference,
    saved_share: meanWhole === null || meanWhole === 0 ? null : 1 - mean / meanWhole,
  }
}

function readRunAmount(run: RunAmounts, unit: Unit): number | null {
  switch (unit) {
    case 'usd':
      return run.cost?.usd ?? null
    case 'tokens':
      return run.tokens
    case 'seconds':
      return run.duration_ms === null ? null : run.duration_ms / 1000
  }
}

function isKnown(runs: readonly RunAmounts[], unit: Unit): boolean {
  return runs.every((run) => readRunAmount(run, unit) !== null)
}

function averageAmount(runs: readonly RunAmounts[], unit: Unit): number {
  return runs.reduce((sum, run) => sum + (readRunAmount(run, unit) ?? 0), 0) / runs.length
}
