/** Takes a vote of the judge and verifies its evidence: a pass with a missing quote is asked again once. */
import type { Rubric } from '../../../../schemas/rubric.ts'
import { sumCallUsage } from '../../../engines/ask/cost_meter.ts'
import type { JudgeResult } from '../judge_request.ts'
import type { JudgeVerdict } from './judge_answer.ts'
import { lookUpRubric, lookUpVerdict, type MissingQuotes, type VerifiedVerdict } from './judge_answer.ts'
import { askJudge, type JudgeSession } from './judge_question.ts'

/** Takes one vote. Rejects only when aborted. */
export async function takeVote(session: JudgeSession): Promise<JudgeResult> {
  const { expectations } = session.request.case
  const stated = expectations.filter(({ rubric }) => rubric === undefined)
  const [texts, turns] = [stated.map(({ text }) => text), stated.map(({ turn }) => turn)]
  const rubric = expectations.find((one) => one.rubric !== undefined)?.rubric
  const first = await askJudge(session, { expectations: texts, turns, rubric })
  const looked = first.verdicts.map((verdict, index) => lookUpAnswer(verdict, texts[index] ?? rubric, session))
  const doubtful = [...looked.entries()].filter(([, { verdict }]) => isDoubtful(verdict))
  const decided = looked.map(({ verdict }) => withoutClaims(verdict, session.request))
  if (doubtful.length === 0) return { ...first, verdicts: decided }
  const asked = {
    expectations: doubtful.flatMap(([index]) => texts[index] ?? []),
    turns: doubtful.flatMap(([index]) => (texts[index] === undefined ? [] : [turns[index]])),
    rubric: doubtful.some(([index]) => index === texts.length) ? rubric : undefined,
    again: doubtful.flatMap(([, { missing }], at) => missing.map((one) => ({ n: at + 1, ...one }))),
  }
  const second = await askJudge(session, asked)
  for (const [at, [index, before]] of doubtful.entries()) {
    const now = lookUpAnswer(second.verdicts[at] ?? { error: 'no verdict' }, texts[index] ?? rubric, session)
    decided[index] = withoutClaims(settleVerdict({ before, now, request: session.request }), session.request)
  }
  return { ...mergeJudgeResults(first, second), verdicts: decided, askedAgain: doubtful.length }
}

/** `of`: the expectation, or the rubric, which comes last. */
function lookUpAnswer(
  verdict: JudgeVerdict,
  of: string | Rubric | undefined,
  { request, files, claims }: JudgeSession,
): VerifiedVerdict {
  const { prompt, expected_output } = request.case
  const said = (request.record.conversation?.turns ?? []).map((turn) => turn.prompt)
  const sources = { files, claims, given: [prompt, ...said, expected_output ?? ''] }
  return typeof of === 'object' ? lookUpRubric(verdict, of, sources) : lookUpVerdict(verdict, of ?? '', sources)
}

function isDoubtful(verdict: JudgeVerdict): boolean {
  return !('error' in verdict) && verdict.passed && verdict.evidence_verified === 'absent'
}

/** The second answer counts; without one the first stays doubtful. */
function settleVerdict({
  before,
  now,
  request,
}: {
  before: VerifiedVerdict
  now: VerifiedVerdict
  request: JudgeSession['request']
}): JudgeVerdict {
  const { verdict, missing } = 'error' in now.verdict ? before : now
  if ('error' in verdict || !isDoubtful(verdict)) return verdict
  const flag = describeMissingQuotes(missing)
  return request.requireEvidence === true ? { error: flag } : { ...verdict, evidence_flag: flag }
}

/** A pass that rests only on the agent's claims is flagged, or is an error. */
function withoutClaims(verdict: JudgeVerdict, { requireEvidence }: JudgeSession['request']): JudgeVerdict {
  if ('error' in verdict || !verdict.passed || verdict.evidence_verified !== 'claim') return verdict
  const flag = `the only evidence for the pass is the agent's claim about its own work: ${shortenQuote(verdict.evidence)}`
  return requireEvidence === true ? { error: flag } : { ...verdict, evidence_flag: flag }
}

function describeMissingQuotes([first]: readonly MissingQuotes[]): string {
  const { of = null, quotes: [quote = ''] = [], unread = [] } = first ?? {}
  const where = of === null ? '' : ` (${shortenQuote(of)})`
  const more = unread.length === 0 ? '' : `; ${unread.join(', ')} cannot be searched: not text`
  return `the quote behind the pass is neither in the transcript nor in a file: "${shortenQuote(quote)}"${where}${more}`
}

function shortenQuote(quote: string): string {
  const line = quote.replaceAll(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}

/** The first with the cost of both. Counts only new calls; the result counts as cached only if both answers are. */
export function mergeJudgeResults(first: JudgeResult, second: JudgeResult): JudgeResult {
  const { cachedFrom: from, ...rest } = first
  const all = [first, second]
  const made = all.filter((one) => one.cachedFrom === undefined)
  if (from !== undefined && made.length === 0) return { ...first, spent: sumCallUsage(all.map(({ spent }) => spent)) }
  return { ...rest, spent: sumCallUsage(made.map(({ spent }) => spent)) }
}
