/** Notes on gaps (excluded runs, undecided expectations, time-outs, cases without runs or criteria, descriptions that did not arrive) and on expectations that differ or can't. */
import type { ExcludedRun } from '../../../../../schemas/benchmark.ts'
import type { StatisticsExpectation } from '../../../../../schemas/benchmark_statistics.ts'
import type { SkillListing } from '../../../../../schemas/run.ts'
import { countEach } from '../../../../base/totals.ts'
import { armNames } from '../../benchmark/arms.ts'
import { emptyGrading } from '../../benchmark/classify_runs.ts'
import { isSuspicious } from '../../judge/suspicious_runs.ts'
import { furtherShare, usualOptions } from '../../stats/statistics_options.ts'
import { formatPlural, shortenText } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

export function gapNotes(parts: NoteParts): string[] {
  return [
    ...excludedNotes(parts),
    ...undecidedNotes(parts),
    ...timedOutNotes(parts),
    ...emptyNotes(parts),
    ...stuckNotes(parts),
  ]
}

const meanings: Record<ExcludedRun['reason'], string> = {
  failed: 'failed',
  cancelled: 'cancelled',
  timed_out: 'timed out, excluded as asked',
  judge_error: 'left undecided by the judge',
  missing: 'missing or without a grading',
  ungraded: 'ungraded by design',
  cannot_run: 'could not run',
  quarantined: 'in quarantine',
}

function excludedNotes({ counts, excluded_runs, arms }: NoteParts): string[] {
  const reasons = Object.entries(counts.excluded).map(([why, number]) => {
    const own = excluded_runs.filter((run) => (run.kind === null ? run.reason : `${run.reason}:${run.kind}`) === why)
    const [first] = own
    const kind = first?.kind ? ` (${first.kind})` : ''
    const places = armNames(arms)
      .map((name) => [name, own.filter((run) => run.configuration === name).length] as const)
      .filter(([, inArm]) => inArm > 0)
      .map(([name, inArm], _, all) => (all.length === 1 ? name : `${name} (${inArm})`))
    return `${number} ${first ? meanings[first.reason] : why}${kind} in ${places.join(' and ')}`
  })
  if (reasons.length === 0) return []
  const total = Object.values(counts.excluded).reduce((sum, number) => sum + number, 0)
  const planned = formatPlural(counts.planned, 'planned run')
  return [`${total} of ${planned} ${total === 1 ? 'is' : 'are'} not in the rates: ${reasons.join(', ')}.`]
}

function undecidedNotes({ undecided }: NoteParts): string[] {
  const reasons = countEach(undecided.flat().map(({ reason }) => reason))
  const [commonest] = [...reasons].sort(([, a], [, b]) => b - a)
  if (commonest === undefined) return []
  const runs = formatPlural(undecided.length, 'run')
  const others = reasons.size > 1 ? ', and other reasons' : ''
  const why = `${shortenText(commonest[0], 200)}${others}`
  return [
    `${formatPlural(undecided.flat().length, 'expectation')} in ${runs} could not be judged and are excluded from the pass rates (${why}).`,
  ]
}

/** Timed-out runs in the rates: the time-out decided every expectation but those about earlier answers of a conversation. */
function timedOutNotes({ runs, arms }: NoteParts): string[] {
  return armNames(arms).flatMap((name) => {
    const own = runs.filter((run) => run.configuration === name)
    const late = own.filter(({ expectations }) => expectations.some((one) => one.decided_by === 'timeout'))
    if (late.length === 0) return []
    const unseen = late.some(({ result }) => result.provider_unseen)
    const isPartly = late.some(({ expectations }) => expectations.some((one) => one.decided_by !== 'timeout'))
    const except = isPartly ? ', except those about earlier answers' : ''
    const but = unseen ? " (this engine doesn't show whether the provider answered)" : ''
    return `${late.length} of ${formatPlural(own.length, `${name} run`)} timed out; their expectations count as failed${except}${but}.`
  })
}

/** One note on runs without expectations whose cases have some. */
function emptyNotes({ excluded_runs }: NoteParts): string[] {
  const empty = excluded_runs.filter(({ message }) => message === emptyGrading)
  return empty.slice(0, 1).map(({ configuration, run_number, eval_id }) => {
    const first = `${configuration} run ${run_number} of case ${eval_id}`
    return empty.length === 1
      ? `${first} has an empty grading, unlike other runs of its case: grade it again.`
      : `${empty.length} runs have an empty grading, unlike other runs of their cases, such as ${first}: grade them again.`
  })
}

/** One note for cases that can't run, one for cases with nothing to grade. */
function stuckNotes({ cannotRun, excluded_runs }: NoteParts): string[] {
  const [first] = cannotRun
  const ungraded = [...new Set(excluded_runs.flatMap((run) => (run.reason === 'ungraded' ? run.eval_id : [])))]
  const more = cannotRun.length > 1 ? `, and ${cannotRun.length - 1} more` : ''
  return [
    ...(first === undefined
      ? []
      : [
          `Can't run: case ${first.eval_id} (${shortenText(first.eval_name, 60)}): ${shortenText(first.reason)}${more}.`,
        ]),
    ...(ungraded.length === 0
      ? []
      : [
          `Nothing to grade: ${ungraded.length === 1 ? 'case' : 'cases'} ${ungraded.join(', ')}. Add expectations or checks.`,
        ]),
  ]
}

export function listingNotes({ runs }: NoteParts): string[] {
  return listingWarnings(runs.flatMap(({ result }) => result.skill_listing ?? []))
}

/** Of the runs whose listing is known. Where the description did not come in full, a better one can't help. Empty: it came in full in all. */
export function listingWarnings(listings: readonly SkillListing[]): string[] {
  const count = (how: SkillListing['description']) => listings.filter(({ description }) => description === how).length
  const [cut, leftOut] = [count('cut'), count('left_out')]
  if (cut + leftOut === 0) return []
  const what = [...(cut > 0 ? [`cut in ${cut}`] : []), ...(leftOut > 0 ? [`left out in ${leftOut}`] : [])].join(' and ')
  const others = Math.max(0, ...listings.map((one) => one.others ?? 0))
  const listed = others === 0 ? '' : ` has ${formatPlural(others, 'other skill')} to list, and`
  return [
    `The description of the tested skill was ${what} of ${formatPlural(listings.length, 'run')}: the agent${listed} limits its list. Before you rewrite the description, shorten it or install fewer skills.`,
  ]
}

const mostNamed = 3

export function expectationNotes(parts: NoteParts): string[] {
  const { statistics } = parts
  if (!statistics?.scopes) return []
  const counted = statistics.expectations.filter(
    ({ indicator, diagnostic }) => indicator === null && diagnostic !== true,
  )
  return [...significantNotes(counted, parts), ...constantNotes(counted)]
}

/** A judge may have obeyed an instruction in a suspicious run, so what such a run decided proves nothing. */
function significantNotes(expectations: readonly StatisticsExpectation[], { runs, statistics }: NoteParts): string[] {
  const suspicious = new Set(runs.filter(isSuspicious).map(({ eval_id }) => eval_id))
  const alpha = furtherShare * (statistics?.alpha ?? usualOptions.alpha)
  const found = expectations.filter(
    ({ p_adjusted, eval_id }) => p_adjusted !== undefined && p_adjusted <= alpha && !suspicious.has(eval_id),
  )
  if (found.length === 0) return []
  const named = found.slice(0, mostNamed).map(({ text, eval_id, candidate, baseline }) => {
    const counts = `${candidate.passed} of ${candidate.total} vs ${baseline.passed} of ${baseline.total}`
    return `'${shortenText(text, 80)}' (case ${eval_id}: ${counts})`
  })
  const level = Number((100 * alpha).toFixed(2))
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : ''
  return [
    `Expectations and checks with a significant difference (false discovery rate ${level}%): ${named.join(', ')}${more}.`,
  ]
}

function constantNotes(expectations: readonly StatisticsExpectation[]): string[] {
  const compared = expectations.filter(({ discrimination }) => discrimination !== null)
  const total = `${compared.length} ${compared.length === 1 ? 'expectation or check' : 'expectations and checks'}`
  const found = (
    isKind: (one: StatisticsExpectation) => boolean,
    describe: (verb: string, example: string) => string,
  ) => {
    const all = compared.filter(isKind)
    return all.slice(0, 1).map(({ text, eval_id }) => {
      const example = `(${all.length === 1 ? '' : 'such as '}'${shortenText(text, 80)}' of case ${eval_id})`
      return `${all.length} of ${total} ${describe(all.length === 1 ? 'passes' : 'pass', example)}`
    })
  }
  return [
    ...found(
      ({ always_passes }) => always_passes,
      (verb, example) =>
        `${verb} in every run of both configurations ${example}: stricter ones could show a difference.`,
    ),
    ...found(
      ({ never_passes }) => never_passes,
      (verb, example) =>
        `never ${verb} ${example}: look at a run to see whether they ask for too much, or the skill no longer works.`,
    ),
  ]
}
