/** Selects one shard of a list: items are dealt in turn, so that every start with the same list gives the same shards. */
import { UserError } from '../../../base/errors/error.ts'
import type { InspectedSuite } from '../suite/inspected_suite.ts'
import { selectInspected } from '../suite/select_cases.ts'

/** --shard index/of; both count from 1. */
export interface Shard {
  index: number
  of: number
}

/** Marks the error of a shard without a case. */
export const emptyShard = 'empty-shard'

/** Every `of`-th item, from the `index`-th on. */
export function selectShardItems<T>(all: readonly T[], { index, of }: Shard): T[] {
  return all.filter((_, at) => at % of === index - 1)
}

/**
 * The shard's part of the selected cases. Cases that count are dealt first, so that no shard has only others while one has several.
 * With more shards than such cases, the first shards get the others too: each case is in one shard.
 * Throws UserError `empty-shard` if nothing would count.
 */
export function selectShardCases(inspected: InspectedSuite, shard: Shard | null): InspectedSuite {
  if (shard === null) return inspected
  const { cases, path } = inspected.suite
  const counting = cases.filter(({ cannot_run, quarantine }) => cannot_run === null && quarantine === undefined)
  const others = cases.filter((one) => !counting.includes(one))
  if (shard.index > counting.length) {
    throw new UserError(
      `--shard ${shard.index}/${shard.of}: ${path} has only ${counting.length === 1 ? '1 case that counts' : `${counting.length} cases that count`}`,
      `use at most ${Math.max(1, counting.length)} shards`,
      emptyShard,
    )
  }
  const of = Math.min(shard.of, counting.length)
  const own = selectShardItems([...counting, ...others], { index: shard.index, of })
  return selectInspected(
    inspected,
    own.map(({ eval_id }) => String(eval_id)),
  )
}
