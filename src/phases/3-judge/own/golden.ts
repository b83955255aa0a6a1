/** The judge of an Atomic Agent's golden test: its own prompt, scores as JSON, one stricter retry, another judge where one can't be asked. */
import type { Golden } from '../../../../schemas/golden.ts'
import type { Judged, JudgeRequest } from '../judge.ts'
import type { Verdict } from '../judge_answer.ts'
import { addSpent, type Spent } from '../meter.ts'
import { transcriptView } from '../transcript_view.ts'
import { addTokens, askPlainly, type Seat, type Tokens } from './ask_plainly.ts'
import { type GoldenAnswer, readGoldenAnswer, scoreGolden } from './golden_score.ts'
import { renderJudgePrompt } from './golden_template.ts'

const stricter =
  'IMPORTANT: your last answer could not be read. Output ONLY one valid JSON object. No Markdown, no prose, no code fences.'

/** Rejects only when aborted. */
export async function judgeGolden(request: JudgeRequest, golden: Golden): Promise<Judged> {
  const trajectory = await transcriptView(request.runFolder, request.case.prompt)
  const { prompt } = renderJudgePrompt(golden, { response: request.record.final_response, trajectory })
  const { judge, credentials, gate } = request
  const seats: Seat[] = [{ judge, credentials, gate }, ...(request.fallbacks ?? [])]
  const asked: Scored[] = []
  const unavailable: string[] = []
  const judged = (verdict: Verdict): Judged => {
    return { verdicts: [verdict], answer: null, spent: addSpent(asked.map(({ spent }) => spent)) }
  }
  for (const seat of seats) {
    const end = await scoresBy(request, seat, { prompt, golden })
    asked.push(end)
    if ('unavailable' in end) unavailable.push(`${nameOf(seat)}: ${end.unavailable}`)
    else if ('error' in end) return judged({ error: end.error })
    else return judged(verdictOf(end.answer, golden, { seat, asked }))
  }
  return judged({ error: `no judge could be asked: ${unavailable.join('; ')}` })
}

type Scored = { spent: Spent; tokens: Tokens } & (
  | { answer: GoldenAnswer }
  | { error: string }
  | { unavailable: string }
)

async function scoresBy(request: JudgeRequest, seat: Seat, of: { prompt: string; golden: Golden }): Promise<Scored> {
  const dimensions = Object.keys(of.golden.rubric.weights)
  const { spent, tokens, ...first } = await askPlainly(request, seat, of.prompt)
  if ('error' in first) return { unavailable: first.error, spent, tokens }
  const answer = readGoldenAnswer(first.said, dimensions)
  if (!('problem' in answer)) return { answer, spent, tokens }
  const second = await askPlainly(request, seat, `${of.prompt}\n\n${stricter}`)
  const both = { spent: addSpent([spent, second.spent]), tokens: addTokens([tokens, second.tokens]) }
  if ('error' in second) return { unavailable: second.error, ...both }
  const again = readGoldenAnswer(second.said, dimensions)
  if (!('problem' in again)) return { answer: again, ...both }
  return { error: `the judge answered twice without scores: ${String(again.problem)}`, ...both }
}

function verdictOf(
  answer: GoldenAnswer,
  golden: Golden,
  { seat, asked }: { seat: Seat; asked: readonly Scored[] },
): Verdict {
  const scores = scoreGolden(answer, golden)
  const why = [
    ...scores.hard_fails.map((code) => `hard fail ${code}`),
    ...(golden.judge.strict_mode ? scores.unmet.map((text) => `not met: ${text}`) : []),
    ...(scores.weighted < golden.rubric.threshold_pass ? [`below ${golden.rubric.threshold_pass}`] : []),
  ]
  const evidence = [`weighted score ${scores.weighted.toFixed(2)}`, ...why, scores.justification]
  const tokens = addTokens(asked.map((one) => one.tokens))
  return {
    passed: scores.verdict === 'pass',
    evidence: evidence.filter(Boolean).join('; '),
    golden: {
      ...scores,
      judge: nameOf(seat),
      judge_input_tokens: tokens.input,
      judge_output_tokens: tokens.output,
    },
  }
}

function nameOf({ judge }: Seat): string {
  return [judge.engine.name, judge.model].filter(Boolean).join(':')
}
