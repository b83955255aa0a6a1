/** `--until decided`: when the runs are looked at, what each look finds, and when it ends. The same runs give the same looks. */
import type { Until, UntilLook } from '../../../../schemas/benchmark_statistics.ts'
import { plural } from '../words.ts'
import { type CaseScores, comparable } from './case_scores.ts'
import { bettingExcludes } from './confidence_sequence.ts'
import { countPairs, eValue, type LookResult, look } from './e_value.ts'
import { meanOf } from './moments.ts'
import type { Sequential, StatisticsOptions } from './options.ts'
import { blocksOf } from './pairs.ts'
import { round } from './round.ts'
import { anytime } from './these_cases.ts'

/** An e-value beyond it is written as this. */
const most = 1e12

/** The looks that the finished blocks allow, up to the one that ends it. */
export function untilDecided(cases: readonly CaseScores[], sequential: Sequential, options: StatisticsOptions): Until {
  const looks: UntilLook[] = []
  let last: UntilLook | null = null
  while (last === null || last.status === 'open') {
    const blocks: number = nextLook(last, sequential, options.alpha)
    if (blocks > sequential.finished) break
    last = lookAt(cases, { blocks, sequential, options })
    looks.push(last)
  }
  const stopped = last === null || last.status === 'open' ? null : last.status
  const next = stopped === null ? nextLook(last, sequential, options.alpha) : null
  const blocks = last?.blocks ?? 0
  const reason = reasonOf({ stopped, blocks, verdict: last?.verdict ?? null }, sequential)
  return { rule: 'decided', max_runs: sequential.maxRuns, blocks, next, stopped, reason, looks }
}

/**
 * The first block after which the pairs could decide, were all of them won or all lost: before it a look would find nothing,
 * so that the runs up to there need not wait for each other.
 */
function nextLook(last: Pick<UntilLook, 'blocks' | 'wins' | 'losses'> | null, at: Sequential, alpha: number): number {
  const { blocks, wins, losses } = last ?? { blocks: 0, wins: 0, losses: 0 }
  for (let next = blocks + 1; next < at.maxRuns; next += 1) {
    const more = (next - blocks) * at.cases
    if (Math.max(eValue(wins + more, losses, 2), eValue(wins, losses + more, 2)) >= 1 / alpha) return next
  }
  return at.maxRuns
}

interface At {
  blocks: number
  sequential: Sequential
  options: StatisticsOptions
}

function lookAt(cases: readonly CaseScores[], { blocks, sequential, options }: At): UntilLook {
  const { pairs, whole } = blocksOf(comparable(cases), blocks)
  const { wins, losses } = countPairs(pairs)
  const means = whole.map((block) => meanOf(block.map(({ candidate, baseline }) => candidate - baseline)))
  const remaining = (sequential.maxRuns - blocks) * sequential.cases
  const found = look({ wins, losses, remaining, alpha: options.alpha })
  // the interval can't lie inside the margin while it holds one of its ends: then there is no need to work it out
  const { alpha, margin } = options
  const mayDecide = found.status === 'decided' || bettingExcludes(means, alpha, [-margin, margin])
  const now = { ...options, sequential: { ...sequential, finished: blocks } }
  const verdict = mayDecide ? anytime(comparable(cases), now).verdict : 'inconclusive'
  const status = verdict === 'inconclusive' ? openOr(found, remaining) : 'decided'
  return { blocks, pairs: pairs.length, wins, losses, e_value: round(Math.min(found.eValue, most), 6), verdict, status }
}

function openOr({ status }: LookResult, remaining: number): UntilLook['status'] {
  if (remaining === 0) return 'max_runs'
  return status === 'futile' ? 'futile' : 'open'
}

interface Ended extends Pick<Until, 'stopped' | 'blocks'> {
  verdict: UntilLook['verdict'] | null
}

function reasonOf({ stopped, blocks, verdict }: Ended, { maxRuns }: Sequential): string {
  const after = `stopped after ${plural(blocks, 'block')}`
  switch (stopped) {
    case 'decided':
      return `${after}: decided (${verdict?.replaceAll('_', ' ')})`
    case 'futile':
      return `${after}: not decided, and the ${plural(maxRuns - blocks, 'block')} left could not decide any more`
    case 'max_runs':
      return `${after}, the most that --max-runs allows: not decided`
    case null:
      return `not decided after ${blocks} of at most ${plural(maxRuns, 'block')}`
  }
}
