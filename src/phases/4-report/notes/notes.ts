/** Writes the notes of a benchmark: at most six, each an action or a claim that has passed a test. */
import type { Statistics } from '../../../../schemas/benchmark_statistics.ts'
import type { ConversationEnd } from '../../../../schemas/conversation.ts'
import { sharedFamily } from '../../../engines/models/model_family.ts'
import { armNames, describeCandidate, isCalibration } from '../benchmark/arms.ts'
import { formatFixed } from '../stats/numbers/round.ts'
import { furtherShare, usualOptions } from '../stats/statistics_options.ts'
import {
  formatConfiguration,
  formatPercent,
  formatPlural,
  formatProbability,
  formatSeconds,
  joinNames,
  shortenText,
} from '../text/format.ts'
import { attemptNotes, furtherCallNotes, mostNotes } from './rules/attempts.ts'
import { expectationNotes, gapNotes, listingNotes } from './rules/gaps.ts'
import type { NoteParts } from './rules/note_parts.ts'

/**
 * Most important first: tool calls that are only text, missing runs, a description that the model did not get, doubts about runs and judge, calls that no agent reports, differences by case and expectation,
 * costs, waits. Nothing is claimed about differences to a baseline of another time, between recorded sessions, or that runs
 * without a grade could decide.
 */
export function writeNotes(parts: NoteParts): string[] {
  const ofNoise = [textCallNotes, gapNotes, furtherCallNotes, attemptNotes, waitNotes]
  const ofSkill = [
    textCallNotes,
    gapNotes,
    listingNotes,
    suspiciousNotes,
    evidenceNotes,
    overruledNotes,
    judgeNotes,
    askedUserNotes,
    conversationNotes,
    furtherCallNotes,
    attemptNotes,
    ...(parts.observational ||
    parts.statistics?.missing_grades ||
    parts.statistics?.older_runs?.is_concurrent === false ||
    parts.statistics?.judge_difference?.as_judged
      ? []
      : [caseNotes, expectationNotes, costNotes]),
    waitNotes,
  ]
  const rules = isCalibration(parts.arms) ? ofNoise : ofSkill
  return rules.flatMap((rule) => rule(parts)).slice(0, mostNotes)
}

/** What the model or its server can't do says nothing about the skill. */
function textCallNotes({ runs }: NoteParts): string[] {
  const found = runs.filter(({ result }) => result.text_tool_call).length
  if (found === 0) return []
  const what = `${found} of ${formatPlural(runs.length, 'answer')} ${found === 1 ? 'is a tool call' : 'are tool calls'} written as text`
  return [
    `${what}: this model or server does not call tools reliably. Use --activation answer, or a model that calls them.`,
  ]
}

function askedUserNotes({ runs, arms }: NoteParts): string[] {
  const counts = armNames(arms).flatMap((name) => {
    const own = runs.filter((run) => run.configuration === name)
    const asked = own.filter(({ result }) => result.asked_user === true).length
    return asked === 0 ? [] : `${asked} of ${formatPlural(own.length, 'run')} ${formatConfiguration(name)}`
  })
  if (counts.length === 0) return []
  return [`Ended by asking the user: ${counts.join(', ')}. Give the answer in the prompt, or in further turns.`]
}

function suspiciousNotes({ runs }: NoteParts): string[] {
  const found = runs.flatMap((run) => run.injection_attempts?.slice(0, 1).map((attempt) => ({ ...run, attempt })) ?? [])
  const [first] = found
  if (first === undefined) return []
  const { attempt, eval_id, configuration, run_number } = first
  const place = attempt.line === null ? attempt.file : `${attempt.file}:${attempt.line}`
  const more = found.length > 1 ? ` and ${found.length - 1} more` : ''
  return [
    `Text that tries to instruct the judge: case ${eval_id}, ${configuration} run ${run_number}, ${place} ('${shortenText(attempt.text)}')${more}. Read it before you trust the verdicts of that run.`,
  ]
}

function judgeNotes({ metadata, runs }: NoteParts): string[] {
  const { engine, judge, executor_model: executor } = metadata
  const isJudged = runs.some((run) => run.expectations.some(({ decided_by: by }) => by === 'judge'))
  if (!isJudged || typeof engine !== 'string' || typeof judge !== 'string') return []
  const [name = '', ...model] = judge.split(':')
  const agents = executor.endsWith(' default') ? [null] : executor.split(', ')
  const asked = { name, model: model.join(':') || null }
  const family = agents.map((one) => sharedFamily({ name: engine, model: one }, asked)).find((one) => one !== null)
  if (family === undefined) return []
  return [
    `The judge ${judge} is from ${ownFamily} (${family}), and judges favour their own: grade again with --judge from another provider.`,
  ]
}

const ownFamily = "the agent's model family"

/** Whether the note is what `bench` says of its judge at the start. */
export function isFamilyNote(note: string): boolean {
  return note.includes(ownFamily)
}

function waitNotes({ held_back, suspended }: NoteParts): string[] {
  return [...suspensionNotes(suspended), ...heldBackNotes(held_back)]
}

function suspensionNotes(suspended: NoteParts['suspended']): string[] {
  if (suspended === undefined) return []
  const { runs, longest_ms } = suspended
  const note = `Whetstone was suspended, or the machine too busy for it, during ${formatPlural(runs, 'run')} for up to ${formatSeconds(longest_ms / 1000)}: this time counts in no limit and no duration.`
  return [note]
}

function heldBackNotes(held_back: NoteParts['held_back']): string[] {
  if (held_back === undefined) return []
  const { refusals, waited_ms } = held_back
  const what =
    refusals === 0
      ? 'Waits for retries, rate limits and slots of a server'
      : `The provider refused ${formatPlural(refusals, 'request')} (429), which`
  const note = `${what} delayed runs and judges by ${formatSeconds(waited_ms / 1000)} in total: this time counts in no run's duration.`
  return [note]
}

const mostNamed = 3

/** One note; the p-values are adjusted for the number of cases. */
function caseNotes({ cases, arms, statistics }: NoteParts): string[] {
  const { comparisons = [], alpha = usualOptions.alpha } = statistics ?? {}
  const worse = comparisons.flatMap(({ eval_id, p_adjusted: p }) => {
    const row = cases.find((one) => one.eval_id === eval_id)
    if (row === undefined || row.delta === null || row.delta >= 0 || p > furtherShare * alpha) return []
    const rate = (name: string | null) => formatPercent(row.arms[name ?? '']?.pass_rate?.mean ?? 0)
    const size = `${rate(arms.candidate)} vs ${rate(arms.baseline)}, adjusted p ${p < 0.001 ? '' : '= '}${formatProbability(p)}`
    return `case ${eval_id} (${shortenText(row.eval_name, 60)}: ${size})`
  })
  if (worse.length === 0) return []
  const more = worse.length > mostNamed ? ` and ${worse.length - mostNamed} more` : ''
  return [
    `Significantly worse ${describeCandidate(arms)}: ${worse.slice(0, mostNamed).join(', ')}${more}. Compare their transcripts.`,
  ]
}

const metrics = { time_seconds: 'time', tokens: 'tokens', cost_usd: 'cost' } as const
/** Three ratios are tested at once: an interval counts if it excludes 1 even when this much wider (on the log scale). */
const widening = 1.5

/** "With the skill runs take 1.80× the time (95% CI 1.52 to 2.13) and 2.10× the tokens (1.90 to 2.32)." */
function costNotes({ statistics, arms }: NoteParts): string[] {
  if (!statistics?.scopes) return []
  const level = Number((100 * (1 - statistics.alpha)).toFixed(1))
  const parts = Object.entries(metrics).flatMap(([key, name]) => {
    const ratio = statistics.ratios[key as keyof Statistics['ratios']]
    if (!ratio || ratio.ci_low === null || ratio.ci_high === null || !isClear(ratio.ratio, ratio.ci_low, ratio.ci_high))
      return []
    const range = `${level}% CI ${formatFixed(ratio.ci_low, 2)} to ${formatFixed(ratio.ci_high, 2)}`
    return `${formatFixed(ratio.ratio, 2)}× the ${name} (${range})`
  })
  if (parts.length === 0) return []
  const subject = describeCandidate(arms).replace(/^w/, 'W')
  return [`${subject} runs take ${joinNames(parts)}.`]
}

function isClear(ratio: number, low: number, high: number): boolean {
  const centre = Math.log(ratio)
  return centre > 0
    ? centre - widening * (centre - Math.log(low)) > 0
    : centre + widening * (Math.log(high) - centre) < 0
}

function conversationNotes({ runs, arms }: NoteParts): string[] {
  const ends = armNames(arms).map((name) => {
    const own = runs.filter((run) => run.configuration === name)
    return { name, ended: own.flatMap(({ result }) => result.conversation_ended ?? []) }
  })
  if (!ends.some(({ ended }) => ended.some((why) => why !== 'all_delivered' && why !== 'goal_met'))) return []
  const counts = ends.flatMap(({ name, ended }) =>
    ended.length === 0 ? [] : `${formatPlural(ended.length, 'run')} ${formatConfiguration(name)}: ${countEnds(ended)}`,
  )
  return [`Conversations ended: ${counts.join('; ')}.`]
}

/** Most frequent first. */
function countEnds(ended: readonly ConversationEnd[]): string {
  const counts = [...new Set(ended)].map((why) => ({ why, count: ended.filter((one) => one === why).length }))
  const sorted = counts.sort((a, b) => b.count - a.count)
  return sorted.map(({ why, count }) => `${count} × ${endWords[why]}`).join(', ')
}

const endWords: Readonly<Record<ConversationEnd, string>> = {
  all_delivered: 'every message was sent',
  agent_did_not_ask: 'the agent did not ask',
  agent_response_mismatch: 'the condition of the next message was not met',
  end_when: 'the condition to end was met',
  goal_met: 'the goal of the user was met',
  stop: 'the user gave up',
  max_turns: 'the most messages were sent',
  agent_ended: 'the agent ended it',
}

export function evidenceNotes({ runs }: NoteParts): string[] {
  const doubtful = runs.flatMap(({ eval_id, configuration, run_number, expectations }) =>
    expectations.flatMap(({ text, evidence_flag, evidence_verified }) =>
      evidence_flag === undefined
        ? []
        : [
            {
              text,
              isClaim: evidence_verified === 'claim',
              place: `case ${eval_id}, ${configuration} run ${run_number}`,
            },
          ],
    ),
  )
  const [first] = doubtful
  if (first === undefined) return []
  const claims = doubtful.filter(({ isClaim }) => isClaim).length
  const reasons = [
    ...(doubtful.length > claims ? [`${doubtful.length - claims} on a quote that was not found`] : []),
    ...(claims > 0 ? [`${claims} on the agent's claim about its own work`] : []),
  ]
  const [passes, such, them] = doubtful.length === 1 ? ['pass', '', 'it'] : ['passes', 'such as ', 'them']
  const example = `${such}'${shortenText(first.text, 80)}' (${first.place})`
  return [
    `${doubtful.length} ${passes} without evidence: ${reasons.join(', ')}, ${example}. Review ${them} with "whetstone audit".`,
  ]
}

function overruledNotes({ runs }: NoteParts): string[] {
  const found = runs.flatMap(({ eval_id, configuration, run_number, expectations }) =>
    expectations.flatMap(({ text, overruled }) =>
      overruled ? `'${shortenText(text, 80)}' (case ${eval_id}, ${configuration} run ${run_number})` : [],
    ),
  )
  const [first] = found
  if (first === undefined) return []
  const [passes, such, them] =
    found.length === 1 ? ['1 pass', '', 'it'] : [`${found.length} passes`, 'such as ', 'them']
  return [
    `A failed check contradicts ${passes} of the judge, also when it was asked again, ${such}${first}: the check decided, so ${them === 'it' ? 'it counts' : 'they count'} as failed. Review ${them} with "whetstone audit".`,
  ]
}
