/** A watch in words: its headline, what is controlled, and a table of its nights. */
import type { Watch, WatchBaseline, WatchedNight } from '../../../schemas/watch.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import { formatDollars, formatPercent, formatPlural } from '../../phases/4-report/text/format.ts'

/** "Quiet: 92% in night 3, 90% expected; evidence 1.4 of 730." */
export function watchHeadline(baseline: WatchBaseline, { nights, status, since, quiet_nights }: Watch): string {
  const last = nights.at(-1)
  const [own, cases] = [meanOf(baseline.runs.map(({ score }) => score)), formatPlural(baseline.cases.length, 'case')]
  if (last === undefined)
    return `Baseline: ${formatPercent(own)} in ${formatPlural(baseline.runs.length, 'run')} of ${cases}. No night yet.`
  if (status === 'alarm' && since !== null) {
    const [now, before] = [levelSince(nights, since), nights[since - 1]?.expected ?? 0]
    return `Alarm: the level fell to ${formatPercent(now)} from ${formatPercent(before)}, probably in night ${since} (${day(nights[since - 1])}).`
  }
  if (last.left_out !== undefined) return `Quiet: night ${nights.length} does not count: ${makeVisible(last.left_out)}.`
  return `Quiet: ${formatPercent(last.level ?? 0)} in night ${nights.length}, ${formatPercent(last.expected ?? own)} expected; evidence of a fall ${formatEvidence(last.evidence)} of ${quiet_nights}.`
}

export function watchAbout(baseline: WatchBaseline, { quiet_nights }: Watch): string {
  const { engine } = baseline.of
  return `${makeVisible([engine.name, engine.model].filter(Boolean).join(':'))}, model ${makeVisible(baseline.model)}. Alarm at evidence ${quiet_nights}: if nothing changes, at most one alarm is expected in ${quiet_nights} nights. Each case is compared with its own earlier runs.`
}

const columns: readonly [header: string, cell: (night: WatchedNight, at: number) => string][] = [
  ['night', (_, at) => String(at + 1)],
  ['date', (night) => day(night)],
  ['runs', ({ runs, planned }) => (runs.length === planned ? String(planned) : `${runs.length} of ${planned}`)],
  [
    'level',
    ({ level, runs }) =>
      level === null ? formatPercent(meanOf(runs.map(({ score }) => score))) : formatPercent(level),
  ],
  ['expected', ({ expected }) => (expected === null ? '–' : formatPercent(expected))],
  ['evidence', ({ evidence }) => formatEvidence(evidence)],
  ['cost', ({ cost_usd }) => (cost_usd === null ? '–' : formatDollars(cost_usd))],
  ['', (night) => remark(night)],
]

/** Newest night first. */
export function watchTable({ nights }: Watch): { header: string[]; rows: string[][] } {
  const rows = nights.map((night, at) => columns.map(([, cell]) => cell(night, at)))
  return { header: columns.map(([header]) => header), rows: rows.reverse() }
}

function remark({ alarm, left_out, dismissed }: WatchedNight): string {
  return [
    alarm ? 'ALARM' : '',
    dismissed ? 'dismissed' : '',
    left_out === undefined ? '' : `left out: ${makeVisible(left_out)}`,
  ]
    .filter(Boolean)
    .join(', ')
}

function formatEvidence(evidence: number): string {
  return evidence >= 10 ? String(Math.round(evidence)) : evidence.toPrecision(2)
}

function day(night: WatchedNight | undefined): string {
  return night?.at.slice(0, 10) ?? ''
}

function levelSince(nights: readonly WatchedNight[], since: number): number {
  return meanOf(nights.slice(since - 1).flatMap(({ runs }) => runs.map(({ score }) => score)))
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, one) => sum + one, 0) / values.length
}
