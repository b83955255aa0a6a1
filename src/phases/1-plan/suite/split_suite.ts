/**
 * Splits a suite by case into train (the proposer sees it), validation (decides) and test (used once): seeded, stratified, reproducible.
 */
import type { Split } from '../../../../schemas/history/session.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { sha256 } from '../../../base/json/json.ts'

export type CaseSplit = Pick<Split, 'kind' | 'train' | 'validation' | 'test' | 'strata'>

type Part = 'train' | 'validation' | 'test'

/** From this number of cases on, three parts are each large enough; below it, two folds alternate. */
export const leastThreeWay = 18
/** Below this number no case is reserved for the test. */
const leastWithTest = 6

/** Throws UserError below two cases: one case cannot be both seen and unseen. */
export function splitCases(cases: readonly SuiteCase[], seed: number): CaseSplit {
  const runnable = cases.filter((one) => one.cannot_run === null)
  if (runnable.length < 2) {
    throw new UserError(
      `improve needs at least 2 cases that can run, got ${runnable.length} (versions are tested on unseen cases)`,
      'add cases, or draft some with --grow-suite',
    )
  }
  const kind = runnable.length >= leastThreeWay ? ('three_way' as const) : ('cross_fitted' as const)
  const order = dealingOrder(kind, runnable.length)
  const strata = new Map<string, SuiteCase[]>()
  for (const one of sortByHash(runnable, seed))
    strata.set(describeStratum(one), [...(strata.get(describeStratum(one)) ?? []), one])
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
  return { kind, ...sortParts(made), strata: shown.map(({ stratum, ...parts }) => ({ stratum, ...sortParts(parts) })) }
}

/** Deals the parts in turn, so that each stratum has the same shares as the whole. */
function dealingOrder(kind: Split['kind'], count: number): Part[] {
  // 6 : 9 : 5 of 20, so that at least 8 validate from 18 cases on
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

/** How a case is decided and whether it has files: the known similarities before anything runs. */
function describeStratum({ expectations, checks, files }: SuiteCase): string {
  const by = checks.length === 0 ? 'judged' : expectations.length === 0 ? 'checked' : 'judged and checked'
  return `${by}, ${files.length > 0 ? 'with' : 'without'} files`
}

/** Sorts by a hash of seed, id and prompt: adding a case does not change the order of the others in a stratum. */
function sortByHash(cases: readonly SuiteCase[], seed: number): SuiteCase[] {
  const lots = new Map(cases.map((one) => [one, sha256(`${seed}\0${one.eval_id}\0${one.prompt}`)]))
  return [...cases].sort((a, b) => ((lots.get(a) ?? '') < (lots.get(b) ?? '') ? -1 : 1))
}

function sortParts({ train, validation, test }: Record<Part, number[]>): Record<Part, number[]> {
  const up = (ids: number[]) => ids.toSorted((a, b) => a - b)
  return { train: up(train), validation: up(validation), test: up(test) }
}
