/** Splits a suite by case into training (the proposer sees it) and held out (decides once, at the end): seeded, stratified, reproducible. */
import type { CasePart } from '../../../../schemas/case_upkeep.ts'
import type { Split } from '../../../../schemas/history/session.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { sha256 } from '../../../base/json/json.ts'

export type CaseSplit = Pick<Split, 'train' | 'held_out' | 'strata'>

/** A third for training: dealt in turn, so that each stratum has the same shares as the whole. */
const dealingOrder = ['held_out', 'train', 'held_out'] as const satisfies readonly CasePart[]

/** From this number of cases on, at least 8 are held out, which a claim about similar cases needs. */
export const leastForSimilarCases = 12

/** A case with a `split` of its own is in that part. Throws UserError below two cases, and if a part is empty. */
export function splitCases(cases: readonly SuiteCase[], seed: number): CaseSplit {
  const runnable = cases.filter((one) => one.cannot_run === null && one.quarantine === undefined)
  if (runnable.length < 2) {
    throw new UserError(
      `improve needs at least 2 cases that can run and count, got ${runnable.length} (versions are tested on unseen cases)`,
      'add cases, or draft some with --grow-suite',
    )
  }
  const strata = groupByStratum(sortByHash(runnable, seed))
  const whole: Record<CasePart, number[]> = { train: [], held_out: [] }
  let dealt = 0
  const shown = strata.map(({ stratum, cases: own }) => {
    const parts: Record<CasePart, number[]> = { train: [], held_out: [] }
    for (const { eval_id, split } of own) {
      const part = split ?? dealingOrder[dealt % dealingOrder.length] ?? 'train'
      parts[part].push(eval_id)
      whole[part].push(eval_id)
      if (split === undefined) dealt += 1
    }
    return { stratum, ...sortParts(parts) }
  })
  for (const part of dealingOrder) {
    if (whole[part].length > 0) continue
    throw new UserError(
      `improve needs training and held-out cases, and none that can run and count has "split": "${part}"`,
      `set "split" of some cases to "${part}", or remove it from all`,
    )
  }
  return { ...sortParts(whole), strata: shown }
}

function groupByStratum(cases: readonly SuiteCase[]): { stratum: string; cases: SuiteCase[] }[] {
  const names = [...new Set(cases.map(describeStratum))].sort()
  return names.map((stratum) => ({ stratum, cases: cases.filter((one) => describeStratum(one) === stratum) }))
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

function sortParts({ train, held_out }: Record<CasePart, number[]>): Record<CasePart, number[]> {
  const up = (ids: number[]) => ids.toSorted((a, b) => a - b)
  return { train: up(train), held_out: up(held_out) }
}
