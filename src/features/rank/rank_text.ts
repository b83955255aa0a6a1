/** A ranking in words and in tables of plain cells, for terminal, Markdown and page. */
import type { Rank, RankedContender } from '../../../schemas/rank.ts'
import type { DiffSection } from '../../phases/4-report/diff/diff_text.ts'
import {
  formatCount,
  formatDollars,
  formatPercent,
  formatPlural,
  formatPointRange,
  formatProbability,
  formatRange,
  formatWholePoints,
  joinNames,
} from '../../phases/4-report/text/format.ts'

type Ended = Omit<Rank, 'sentence'>

const confidence = '95% confidence'

/** "Winner: pdf: better than each of the 3 others (95% confidence). 412 runs, 58% of the full grid." */
export function rankSentence(rank: Ended): string {
  return `${verdictText(rank)} ${effortText(rank)}`
}

/** Contenders with more than 5% of their runs without a score. If there are any, nobody wins. */
export function listOpenContenders<T extends Pick<RankedContender, 'runs' | 'left_out'>>(
  contenders: readonly T[],
): T[] {
  return contenders.filter(({ runs, left_out }) => left_out * 20 > runs + left_out)
}

function verdictText(rank: Ended): string {
  const open = listOpenContenders(rank.contenders)
  if (open.length > 0) {
    const counts = open.map(
      (one) => `${one.left_out} of ${formatPlural(one.runs + one.left_out, 'run')} of ${one.name}`,
    )
    return `Incomplete: ${joinNames(counts)} have no grade, so there is no winner.`
  }
  const { contenders, winner, status, detect } = rank
  const first = contenders.filter(({ rank_best }) => rank_best === 1)
  const leaders = joinNames(first.map(({ name }) => name))
  const points = `${formatWholePoints(detect, false)} points`
  switch (status) {
    case 'winner':
      return `Winner: ${winner}: better than ${contenders.length === 2 ? 'the other' : `each of the ${contenders.length - 1} others`} (${confidence}).`
    case 'close':
      return `No winner: ${leaders} differ by less than ${points} (${confidence}).`
    case 'max_runs':
      return `No winner: the runs do not separate ${leaders}.`
    case 'open':
      return `Not decided: the runs so far do not separate ${leaders}.`
  }
}

function effortText({ runs, of, cases, blocks }: Ended): string {
  if (of === 'results') return `${formatPlural(runs.done, 'run')} of ${formatPlural(cases, 'case')}.`
  const share = runs.grid === 0 ? 0 : runs.done / runs.grid
  return `${formatPlural(runs.done, 'run')} after ${formatPlural(blocks, 'block')} of ${formatPlural(cases, 'case')}, ${formatPercent(share)} of the full grid.`
}

export function rankTables(rank: Rank): DiffSection[] {
  return [contenderTable(rank), pairTable(rank), lookTable(rank)].filter(({ rows }) => rows.length > 0)
}

/** Ranks, groups, pass rates and costs. */
export function contenderTable({ contenders, of }: Pick<Rank, 'contenders' | 'of'>): DiffSection {
  const cell = (one: RankedContender) => [
    one.name,
    formatRange(one.rank_best, one.rank_worst),
    one.groups,
    one.pass_rate === null ? '–' : formatPercent(one.pass_rate),
    formatCount(one.runs),
    one.cost_per_run_usd === null ? '–' : formatDollars(one.cost_per_run_usd),
    ...(of === 'results' ? [] : [stopText(one)]),
  ]
  const header = ['contender', 'rank', 'group', 'pass rate', 'runs', 'cost per run', ...(of === 'results' ? [] : [''])]
  return { title: 'Ranks', header, rows: contenders.map(cell) }
}

function stopText({ stopped_after: blocks, left_out: leftOut }: RankedContender): string {
  return [
    ...(blocks === null ? [] : [`can't win: stopped after ${formatPlural(blocks, 'block')}`]),
    ...(leftOut === 0 ? [] : [`${formatPlural(leftOut, 'run')} without a score`]),
  ].join(', ')
}

function pairTable({ pairs }: Rank): DiffSection {
  return {
    title: 'Pairs',
    header: ['pair', 'difference', '95% CI', 'p', 'better'],
    rows: pairs.map(({ a, b, difference, ci_low: low, ci_high: high, p_adjusted, better }) => [
      `${a} – ${b}`,
      difference === null ? '–' : formatWholePoints(difference),
      low === null || high === null ? '–' : formatPointRange(low, high),
      formatProbability(p_adjusted),
      better ?? '–',
    ]),
  }
}

function lookTable({ looks, of }: Rank): DiffSection {
  const rows = looks.flatMap(({ blocks, running, stopped }) =>
    stopped.length === 0 ? [] : [[String(blocks), String(running.length), stopped.join(', ')]],
  )
  return { title: 'Stopped early', header: ['after blocks', 'running', 'stopped'], rows: of === 'results' ? [] : rows }
}

/** What the columns mean. */
export function rankHint({ alpha }: Pick<Rank, 'alpha'>): string {
  return `Rank: the ranks that the contender may have; all hold at once with ${Math.round(100 * (1 - alpha))}% confidence. Contenders that share a group letter are not separated. Intervals and p-values of pairs count all pairs and looks.`
}
