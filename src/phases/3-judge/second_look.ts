/** A vote of the judge with its evidence looked up: a pass of which a quote is not found is asked about once more. */
import { type EvidenceCheck, verifyEvidence } from './evidence/verify.ts'
import type { Judged } from './judge.ts'
import type { Verdict } from './judge_answer.ts'
import { addSpent } from './meter.ts'
import { askJudge, type Sitting } from './question.ts'

/** A vote. Rejects only when aborted. */
export async function voteOf(sitting: Sitting): Promise<Judged> {
  const { expectations } = sitting.request.case
  const texts = expectations.flatMap(({ text, rubric }) => (rubric === undefined ? [text] : []))
  const rubric = expectations.find((one) => one.rubric !== undefined)?.rubric
  const first = await askJudge(sitting, { expectations: texts, rubric })
  const verdicts = first.verdicts.map((verdict, index) => withEvidence(verdict, texts[index] ?? '', sitting))
  const doubtful = [...verdicts.entries()].filter(([, { verdict }]) => isDoubtful(verdict))
  if (doubtful.length === 0) return { ...first, verdicts: verdicts.map(({ verdict }) => verdict) }
  const again = doubtful.map(([, { missing }], index) => ({ n: index + 1, missing }))
  const second = await askJudge(sitting, { expectations: doubtful.map(([index]) => texts[index] ?? ''), again })
  const decided = verdicts.map(({ verdict }) => verdict)
  for (const [at, [index, { verdict: before, missing }]] of doubtful.entries()) {
    const now = withEvidence(second.verdicts[at] ?? { error: 'no verdict' }, texts[index] ?? '', sitting)
    decided[index] = settled({ before, missing, now, request: sitting.request })
  }
  return { ...both(first, second), verdicts: decided, askedAgain: doubtful.length }
}

interface Checked {
  verdict: Verdict
  missing: EvidenceCheck['missing']
}

function withEvidence(verdict: Verdict, text: string, { request, files }: Sitting): Checked {
  if ('error' in verdict || verdict.rubric !== undefined) return { verdict, missing: [] }
  const { prompt, expected_output } = request.case
  const { verified, at, missing } = verifyEvidence(verdict.evidence, files, [text, prompt, expected_output ?? ''])
  return { verdict: { ...verdict, evidence_verified: verified, ...(at && { evidence_at: at }) }, missing }
}

function isDoubtful(verdict: Verdict): boolean {
  return !('error' in verdict) && verdict.passed && verdict.evidence_verified === 'absent'
}

/** The second answer counts; a judge that gives none leaves the first in doubt. */
function settled(of: { before: Verdict; missing: string[]; now: Checked; request: Sitting['request'] }): Verdict {
  const { before, now, request } = of
  const isMissing = 'error' in now.verdict
  const verdict = isMissing ? before : now.verdict
  if ('error' in verdict || !isDoubtful(verdict)) return verdict
  const [quote = ''] = isMissing ? of.missing : now.missing
  const flag = `it passes on a quote that stands neither in the transcript nor in a file: "${shortened(quote)}"`
  return request.requireEvidence === true ? { error: flag } : { ...verdict, evidence_flag: flag }
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
