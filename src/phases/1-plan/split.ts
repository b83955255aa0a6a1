/** Splits a suite by case into what the proposer sees, what the gate decides on and what is touched once: seeded, stratified, the same each time. */
import type { Split } from '../../../schemas/history/session.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { sha256 } from '../../base/json.ts'

export type CaseSplit = Pick<Split, 'kind' | 'train' | 'validation' | 'test' | 'strata'>

type Part = 'train' | 'validation' | 'test'

/** From so many cases on, three parts are each large enough; below, two folds take turns. */
export const leastThreeWay = 18
/** Below it no case is left aside for the test. */
const leastWithTest = 6

/** Throws UserError below two cases: one can't be both seen and unseen. */
export function splitCases(cases: readonly SuiteCase[], seed: number): CaseSplit {
  const runnable = cases.filter((one) => one.cannot_run === null)
  if (runnable.length < 2) {
    throw new UserError(
      `improve needs at least 2 cases that can run, and there is ${runnable.length}: a version is judged on cases that its author has not seen`,
      'add cases, or have some drafted with --grow-suite',
    )
  }
  const kind = runnable.length >= leastThreeWay ? ('three_way' as const) : ('cross_fitted' as const)
  const order = dealingOrder(kind, runnable.length)
  const strata = new Map<string, SuiteCase[]>()
  for (const one of inLot(runnable, seed)) strata.set(stratumOf(one), [...(strata.get(stratumOf(one)) ?? []), one])
  const made = { train: [] as number[], validation: [] as number[], test: [] as number[] }
  let dealt = 0
  const shown = [...strata]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([stratum, own]) => {
      const parts = { train: [] as number[], validation: [] as number[], test: [] as number[] }
      for (const { eval_id } of own) {
        const part = order[dealt % order.length] ?? 'train'
        parts[part].push(eval_id)
        made[part].push(eval_id)
        dealt += 1
      }
      return { stratum, ...parts }
    })
  return { kind, ...sorted(made), strata: shown.map(({ stratum, ...parts }) => ({ stratum, ...sorted(parts) })) }
}

/** One after the other, so that each stratum is shared out by the same shares as the whole. */
function dealingOrder(kind: Split['kind'], count: number): Part[] {
  // 6 : 9 : 5 of 20: from 18 cases on at least 8 validate
  if (kind === 'three_way') {
    return [
      ...(['validation', 'train', 'test', 'validation', 'train', 'validation', 'test', 'validation', 'train'] as const),
      ...(['validation', 'test', 'validation', 'train', 'validation', 'train', 'test', 'validation', 'train'] as const),
      ...(['validation', 'test'] as const),
    ]
  }
  if (count < leastWithTest) return ['train', 'validation']
  return ['validation', 'train', 'test', 'train', 'validation']
}

/** How a case is decided and what it brings along: what makes cases alike before anything has run. */
function stratumOf({ expectations, checks, files }: SuiteCase): string {
  const by = checks.length === 0 ? 'judged' : expectations.length === 0 ? 'checked' : 'judged and checked'
  return `${by}, ${files.length > 0 ? 'with' : 'without'} files`
}

/** By a hash of seed and prompt, not of the id: a case that is added or renumbered moves no other within its stratum's order. */
function inLot(cases: readonly SuiteCase[], seed: number): SuiteCase[] {
  const lots = new Map(cases.map((one) => [one, sha256(`${seed}\0${one.eval_id}\0${one.prompt}`)]))
  return [...cases].sort((a, b) => ((lots.get(a) ?? '') < (lots.get(b) ?? '') ? -1 : 1))
}

function sorted({ train, validation, test }: Record<Part, number[]>): Record<Part, number[]> {
  const up = (ids: number[]) => ids.toSorted((a, b) => a - b)
  return { train: up(train), validation: up(validation), test: up(test) }
}
