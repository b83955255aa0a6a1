/** The judge of an Atomic Agent's golden test: its own prompt, scores as JSON, one stricter retry, another judge where one can't be asked. */
import type { Golden } from '../../../../schemas/golden.ts'
import type { Judged, JudgeRequest } from '../judge.ts'
import { addSpent, type Spent } from '../meter.ts'
import { transcriptView } from '../transcript_view.ts'
import { askPlainly, type Seat } from './ask_plainly.ts'
import { type GoldenAnswer, readGoldenAnswer, scoreGolden } from './golden_score.ts'
import { renderJudgePrompt } from './golden_template.ts'

const stricter =
  'IMPORTANT: your last answer could not be read. Output ONLY one valid JSON object. No Markdown, no prose, no code fences.'

/** Rejects only when aborted. */
export async function judgeGolden(request: JudgeRequest, golden: Golden): Promise<Judged> {
  const trajectory = await transcriptView(request.runFolder, request.case.prompt)
  const { prompt } = renderJudgePrompt(golden, { response: request.record.final_response, trajectory })
  const { judge, credentials, gate } = request
  const seats: Seat[] = [{ judge, credentials, gate }, ...(request.fallbacks?.() ?? [])]
  const spent: Spent[] = []
  const unavailable: string[] = []
  for (const seat of seats) {
    const end = await scoresBy(request, seat, { prompt, golden })
    spent.push(end.spent)
    if ('unavailable' in end) unavailable.push(`${nameOf(seat)}: ${end.unavailable}`)
    else if ('error' in end) return { verdicts: [{ error: end.error }], answer: null, spent: addSpent(spent) }
    else return { verdicts: [verdictOf(end.answer, golden)], answer: null, spent: addSpent(spent) }
  }
  const error = `no judge could be asked: ${unavailable.join('; ')}`
  return { verdicts: [{ error }], answer: null, spent: addSpent(spent) }
}

type Scored = { spent: Spent } & ({ answer: GoldenAnswer } | { error: string } | { unavailable: string })

async function scoresBy(request: JudgeRequest, seat: Seat, of: { prompt: string; golden: Golden }): Promise<Scored> {
  const dimensions = Object.keys(of.golden.rubric.weights)
  const first = await askPlainly(request, seat, of.prompt)
  if ('error' in first) return { unavailable: first.error, spent: first.spent }
  const answer = readGoldenAnswer(first.said, dimensions)
  if (!('problem' in answer)) return { answer, spent: first.spent }
  const second = await askPlainly(request, seat, `${of.prompt}\n\n${stricter}`)
  const spent = addSpent([first.spent, second.spent])
  if ('error' in second) return { unavailable: second.error, spent }
  const again = readGoldenAnswer(second.said, dimensions)
  return 'problem' in again
    ? { error: `the judge answered twice without scores: ${String(again.problem)}`, spent }
    : { answer: again, spent }
}

function verdictOf(answer: GoldenAnswer, golden: Golden) {
  const scores = scoreGolden(answer, golden)
  const why = [
    ...scores.hard_fails.map((code) => `hard fail ${code}`),
    ...(golden.judge.strict_mode ? scores.unmet.map((text) => `not met: ${text}`) : []),
    ...(scores.weighted < golden.rubric.threshold_pass ? [`below ${golden.rubric.threshold_pass}`] : []),
  ]
  const evidence = [`weighted score ${scores.weighted.toFixed(2)}`, ...why, scores.justification]
    .filter(Boolean)
    .join('; ')
  return { passed: scores.verdict === 'pass', evidence, golden: scores }
}

function nameOf({ judge }: Seat): string {
  return [judge.engine.name, judge.model].filter(Boolean).join(':')
}
