/** Builds `rank.json` from a race: contenders with their rank intervals and groups, pairs and looks. */
import type { Rank, RankedContender } from '../../../../schemas/rank.ts'
import { sampleMean } from '../../../phases/4-report/stats/numbers/moments.ts'
import { round, roundPValue } from '../../../phases/4-report/stats/numbers/round.ts'
import { listOpenContenders, rankSentence } from '../rank_text.ts'
import type { BlockScores } from './compare_contenders.ts'
import { type Race, type RaceDesign, rankIntervals, tiedGroups } from './race.ts'

/** A contender and what its runs showed; `scores`: the cases that count. */
export interface RankedInput extends Pick<RankedContender, 'name' | 'source' | 'sha256' | 'engine' | 'runs'> {
  scores: readonly BlockScores[]
  leftOut: number
  /** null: unknown. */
  costUsd: number | null
}

type Facts = Pick<
  Rank,
  | 'created_at'
  | 'of'
  | 'suite'
  | 'skill'
  | 'judge'
  | 'power'
  | 'cases'
  | 'cost'
  | 'stop'
  | 'warnings'
  | 'incomplete_reason'
>

/** `race`: of these contenders in this order. */
export function buildRank(
  contenders: readonly RankedInput[],
  { race, design }: { race: Race; design: RaceDesign },
  facts: Facts,
): Rank {
  const ranked = contenders.map((one, at) => rankContender(one, at, race))
  const names = contenders.map(({ name }) => name)
  const order = [...ranked].sort(
    (a, b) => a.rank_best - b.rank_best || a.rank_worst - b.rank_worst || (b.pass_rate ?? 0) - (a.pass_rate ?? 0),
  )
  const max_blocks = design.looks.at(-1) ?? 1
  const isIncomplete = listOpenContenders(ranked).length > 0
  const rank = {
    schema_version: 1 as const,
    ...facts,
    alpha: design.alpha,
    detect: design.gap,
    max_blocks,
    blocks: race.looks.at(-1)?.blocks ?? 0,
    status: race.status,
    complete: race.status !== 'open' && !isIncomplete,
    winner: race.winner === null || isIncomplete ? null : (names[race.winner] ?? null),
    contenders: letterGroups(
      order,
      tiedGroups(race).map((group) => pickNames(group, names)),
    ),
    pairs: race.pairs.map(({ a, b, result, blocks, adjusted, better }) => ({
      a: names[a] ?? '',
      b: names[b] ?? '',
      blocks,
      difference: result === null ? null : round(result.difference, 6),
      ci_low: result === null ? null : round(result.low, 6),
      ci_high: result === null ? null : round(result.high, 6),
      p_value: result === null ? null : roundPValue(result.pValue),
      p_adjusted: roundPValue(adjusted),
      better: better === null ? null : (names[better] ?? null),
    })),
    looks: race.looks.map(({ blocks, running, stopped }) => ({
      blocks,
      running: pickNames(running, names),
      stopped: pickNames(stopped, names),
    })),
    runs: {
      done: contenders.reduce((sum, { runs, leftOut }) => sum + runs + leftOut, 0),
      grid: max_blocks * contenders.length * facts.cases,
    },
  }
  return { ...rank, sentence: rankSentence(rank) }
}

function rankContender(
  { scores, leftOut, costUsd, ...one }: RankedInput,
  at: number,
  race: Race,
): Omit<RankedContender, 'groups'> {
  const [rank_best, rank_worst] = rankIntervals(race)[at] ?? [1, 1]
  const means = scores.flatMap(({ scores: own }) => {
    const known = own.filter((score) => score !== null)
    return known.length === 0 ? [] : [sampleMean(known)]
  })
  const paid = one.runs + leftOut
  return {
    ...one,
    rank_best,
    rank_worst,
    pass_rate: means.length === 0 ? null : round(sampleMean(means), 6),
    left_out: leftOut,
    stopped_after: race.looks.find(({ stopped }) => stopped.includes(at))?.blocks ?? null,
    cost_usd: costUsd === null ? null : round(costUsd, 6),
    cost_per_run_usd: costUsd === null || paid === 0 ? null : round(costUsd / paid, 6),
  }
}

/** Letters in the order of the first member of each group. */
function letterGroups(
  order: readonly Omit<RankedContender, 'groups'>[],
  groups: readonly string[][],
): RankedContender[] {
  const place = (group: readonly string[]) => order.findIndex(({ name }) => group.includes(name))
  const sorted = [...groups].sort((a, b) => place(a) - place(b))
  return order.map((one) => ({
    ...one,
    groups: sorted.flatMap((group, at) => (group.includes(one.name) ? groupLetter(at) : [])).join(' '),
  }))
}

/** a, b, …, z, a2, b2, … */
function groupLetter(at: number): string {
  const letter = String.fromCharCode(97 + (at % 26))
  return at < 26 ? letter : `${letter}${Math.floor(at / 26) + 1}`
}

function pickNames(places: readonly number[], names: readonly string[]): string[] {
  return places.flatMap((at) => names[at] ?? [])
}
