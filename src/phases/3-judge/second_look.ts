/** A vote of the judge with its evidence looked up: a pass of which a quote is not found is asked about once more. */
import type { Rubric } from '../../../schemas/rubric.ts'
import type { Judged } from './judge.ts'
import type { Verdict } from './judge_answer.ts'
import { type LookedUp, lookUpRubric, lookUpVerdict, type Missing } from './look_up.ts'
import { addSpent } from './meter.ts'
import { askJudge, type Sitting } from './question.ts'

/** A vote. Rejects only when aborted. */
export async function voteOf(sitting: Sitting): Promise<Judged> {
  const { expectations } = sitting.request.case
  const texts = expectations.flatMap(({ text, rubric }) => (rubric === undefined ? [text] : []))
  const rubric = expectations.find((one) => one.rubric !== undefined)?.rubric
  const first = await askJudge(sitting, { expectations: texts, rubric })
  const looked = first.verdicts.map((verdict, index) => lookUp(verdict, texts[index] ?? rubric, sitting))
  const doubtful = [...looked.entries()].filter(([, { verdict }]) => isDoubtful(verdict))
  const decided = looked.map(({ verdict }) => verdict)
  if (doubtful.length === 0) return { ...first, verdicts: decided }
  const asked = {
    expectations: doubtful.flatMap(([index]) => texts[index] ?? []),
    rubric: doubtful.some(([index]) => index === texts.length) ? rubric : undefined,
    again: doubtful.flatMap(([, { missing }], at) => missing.map((one) => ({ n: at + 1, ...one }))),
  }
  const second = await askJudge(sitting, asked)
  for (const [at, [index, before]] of doubtful.entries()) {
    const now = lookUp(second.verdicts[at] ?? { error: 'no verdict' }, texts[index] ?? rubric, sitting)
    decided[index] = settled({ before, now, request: sitting.request })
  }
  return { ...both(first, second), verdicts: decided, askedAgain: doubtful.length }
}

/** `of`: the expectation, or the rubric, which is the last that is asked about. */
function lookUp(verdict: Verdict, of: string | Rubric | undefined, { request, files }: Sitting): LookedUp {
  const { prompt, expected_output } = request.case
  const sources = { files, given: [prompt, expected_output ?? ''] }
  return typeof of === 'object' ? lookUpRubric(verdict, of, sources) : lookUpVerdict(verdict, of ?? '', sources)
}

function isDoubtful(verdict: Verdict): boolean {
  return !('error' in verdict) && verdict.passed && verdict.evidence_verified === 'absent'
}

/** The second answer counts; a judge that gives none leaves the first in doubt. */
function settled({ before, now, request }: { before: LookedUp; now: LookedUp; request: Sitting['request'] }): Verdict {
  const { verdict, missing } = 'error' in now.verdict ? before : now
  if ('error' in verdict || !isDoubtful(verdict)) return verdict
  const flag = flagOf(missing)
  return request.requireEvidence === true ? { error: flag } : { ...verdict, evidence_flag: flag }
}

function flagOf([first]: readonly Missing[]): string {
  const { of = null, quotes: [quote = ''] = [], unread = [] } = first ?? {}
  const where = of === null ? '' : ` (${shortened(of)})`
  const more = unread.length === 0 ? '' : `; ${unread.join(', ')} can't be searched: no text`
  return `it passes on a quote that stands neither in the transcript nor in a file: "${shortened(quote)}"${where}${more}`
}

function shortened(quote: string): string {
  const line = quote.replaceAll(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}

/** What was asked now is counted; from the cache only where all of it is. */
function both(first: Judged, second: Judged): Judged {
  const { cachedFrom: from, ...rest } = first
  const all = [first, second]
  const made = all.filter((one) => one.cachedFrom === undefined)
  if (from !== undefined && made.length === 0) return { ...first, spent: addSpent(all.map(({ spent }) => spent)) }
  return { ...rest, spent: addSpent(made.map(({ spent }) => spent)) }
}
