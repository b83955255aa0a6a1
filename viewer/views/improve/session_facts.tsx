/** Facts of a session: where runs and money went, and what was fixed before the first round. */

import type { SessionPlan, Split } from '../../../schemas/history/session.ts'
import type { History } from '../../../schemas/history.ts'
import { displayDollars, displayPercent, displayPlural, displayPoints } from '../../format.ts'
import { Facts } from '../../parts/run/facts.tsx'

type Fact = [name: string, value: string]

export function SessionFacts({ history }: { history: History }) {
  const { plan, split } = history
  const fixed = [...(plan === undefined ? [] : planFacts(plan)), ...(split === undefined ? [] : splitFacts(split))]
  return (
    <>
      <Facts id="spent" title="Runs and costs" facts={toFacts([...runFacts(history), ...costFacts(history)])} />
      {fixed.length > 0 && <Facts id="fixed" title="Fixed before the first round" facts={toFacts(fixed)} />}
    </>
  )
}

function toFacts(facts: readonly Fact[]) {
  return facts.map(([name, value]) => ({ name, value }))
}

function runFacts({ rounds, plan, certification, confirmations = [], started_at, ended_at }: History): Fact[] {
  const ofPlan = (runs: number, planned: number | undefined) =>
    planned === undefined
      ? displayPlural(runs, 'graded run')
      : `${displayPlural(runs, 'graded run')} of ${planned} planned`
  const search = (rounds ?? []).reduce((sum, { runs }) => sum + runs, 0)
  const confirmed = confirmations.reduce((sum, { gain }) => sum + gain.n_runs, 0)
  return [
    ['started', started_at],
    ...(ended_at === undefined ? [] : [['ended', ended_at] satisfies Fact]),
    ...(rounds === undefined ? [] : [['search', ofPlan(search, plan?.search_runs)] satisfies Fact]),
    ...(certification == null
      ? []
      : [['certification', ofPlan(certification.gain.n_runs, plan?.certification_runs)] satisfies Fact]),
    ...(confirmed === 0 ? [] : [['other engines', displayPlural(confirmed, 'graded run')] satisfies Fact]),
  ]
}

function costFacts({ rounds, failed_proposals = [], benchmarks_usd, benchmarks_unknown = 0 }: History): Fact[] {
  const proposals = [...(rounds ?? []).flatMap((round) => round.proposals), ...failed_proposals]
  const benchmarks =
    benchmarks_unknown === 0
      ? ''
      : `, without ${displayPlural(benchmarks_unknown, 'run or grading', 'runs and gradings')} of unknown cost`
  return [
    ...(proposals.length === 0 ? [] : [['cost of the proposals', sumCosts(proposals)] satisfies Fact]),
    ...(benchmarks_usd === undefined
      ? []
      : [
          [
            'cost of the benchmarks',
            benchmarks_usd === null ? 'not known' : `${displayDollars(benchmarks_usd)}${benchmarks}`,
          ] satisfies Fact,
        ]),
  ]
}

function sumCosts(proposals: readonly { cost_usd: number | null }[]): string {
  const known = proposals.flatMap(({ cost_usd }) => (cost_usd === null ? [] : [cost_usd]))
  if (known.length === 0) return 'not known'
  const unknown = proposals.length - known.length
  const sum = displayDollars(known.reduce((total, one) => total + one, 0))
  return unknown === 0 ? sum : `${sum}, without ${displayPlural(unknown, 'proposal')} of unknown cost`
}

function planFacts({ runs, rounds, detectable, power }: SessionPlan): Fact[] {
  return [
    ['plan', `at most ${displayPlural(runs, 'run')}, ${displayPlural(rounds, 'round')}`],
    ['minimum detectable gain, power 0.8', `${displayPoints(detectable)} points`],
    ...(power.length === 0
      ? []
      : [
          [
            'power of the certification by true gain',
            power.map(({ gain, power: chance }) => `${displayPoints(gain)}: ${displayPercent(chance)}`).join(', '),
          ] satisfies Fact,
        ]),
  ]
}

function splitFacts({ train, held_out, drafts = [], drafts_used, scope, seed, suite_sha256 }: Split): Fact[] {
  return [
    ['training cases', idsText(train)],
    ['held-out cases', idsText(held_out)],
    ...(drafts.length === 0
      ? []
      : [[`drafted cases, ${drafts_used === false ? 'left out' : 'not reviewed'}`, idsText(drafts)] satisfies Fact]),
    ['scope of the result', scope],
    ['seed of the split', `${seed}`],
    ['suite', suite_sha256.slice(0, 12)],
  ]
}

function idsText(ids: readonly number[]): string {
  return ids.length === 0 ? 'none' : `${ids.join(', ')} (${displayPlural(ids.length, 'case')})`
}
