/** Judges an Atomic Agent's golden test: its own prompt, scores as JSON, one stricter retry, fallback judges. */
import path from 'node:path'
import type { Golden } from '../../../schemas/golden.ts'
import { type CallUsage, sumCallUsage } from '../../engines/ask/cost_meter.ts'
import { readEvents } from '../../phases/3-judge/checks/inputs/events.ts'
import {
  askPlainText,
  type CutPart,
  sumTokenCounts,
  type TokenCounts,
} from '../../phases/3-judge/judge/ask_plain_text.ts'
import type { JudgeVerdict } from '../../phases/3-judge/judge/judge_answer.ts'
import type { JudgeAccess, JudgeRequest, JudgeResult } from '../../phases/3-judge/judge_request.ts'
import { renderJudgePrompt, trajectoryText } from './judge_prompt.ts'
import { type GoldenAnswer, readGoldenAnswer, scoreGolden } from './score.ts'

const stricter =
  'IMPORTANT: your last answer could not be read. Output ONLY one valid JSON object. No Markdown, no prose, no code fences.'

/** Rejects only when aborted. */
export async function judgeGolden(request: JudgeRequest): Promise<JudgeResult> {
  const { judging } = request.case
  if (judging?.kind !== 'golden') throw new Error(`case ${request.case.eval_id} is not a golden test`)
  const { golden } = judging
  const trajectory = await readEvents(path.join(request.runFolder, 'transcript.jsonl')).catch(() => [])
  const response = request.record.final_response
  const buildPrompt = (cut: CutPart) =>
    renderJudgePrompt(golden, { response: cut(response), trajectory: trajectoryText(trajectory, cut) })
  const { judge, credentials, gate } = request
  const seats: JudgeAccess[] = [{ judge, credentials, gate }, ...(request.fallbacks ?? [])]
  const asked: ScoredAnswer[] = []
  const unavailable: string[] = []
  const judged = (verdict: JudgeVerdict): JudgeResult => {
    const calls = asked.reduce((total, { spent }) => total + spent.calls, 0)
    const spent = { ...sumCallUsage(paidAnswers(asked).map((one) => one.spent)), calls }
    return { verdicts: [verdict], answer: null, spent }
  }
  for (const access of seats) {
    const end = await askForScores(request, access, { buildPrompt, golden })
    asked.push(end)
    if ('unavailable' in end) unavailable.push(`${nameJudgeAccess(access)}: ${end.unavailable}`)
    else if ('error' in end) return judged({ error: end.error })
    else {
      const verdict = toGoldenVerdict(end.answer, golden, { access, asked, unavailable })
      const { engine, model } = access.judge
      return { ...judged(verdict), ...(unavailable.length > 0 && { decidedBy: { name: engine.name, model } }) }
    }
  }
  return judged({ error: `no judge could be asked: ${unavailable.join('; ')}` })
}

/** Those that may have cost something: a judge that could not be asked and reported nothing cost nothing, if another answered. */
function paidAnswers(asked: readonly ScoredAnswer[]): readonly ScoredAnswer[] {
  const paid = asked.filter((one) => !('unavailable' in one) || one.spent.tokens !== null || one.spent.costUsd !== null)
  return paid.length === 0 ? asked : paid
}

type ScoredAnswer = { spent: CallUsage; tokens: TokenCounts } & (
  | { answer: GoldenAnswer }
  | { error: string }
  | { unavailable: string }
)

async function askForScores(
  request: JudgeRequest,
  access: JudgeAccess,
  of: { buildPrompt: (cut: CutPart) => string; golden: Golden },
): Promise<ScoredAnswer> {
  const dimensions = Object.keys(of.golden.rubric.weights)
  const { spent, tokens, ...first } = await askPlainText(request, access, of.buildPrompt)
  if ('error' in first) return { unavailable: first.error, spent, tokens }
  const answer = readGoldenAnswer(first.said, dimensions)
  if (!('problem' in answer)) return { answer, spent, tokens }
  const second = await askPlainText(request, access, (cut) => `${of.buildPrompt(cut)}\n\n${stricter}`)
  const both = { spent: sumCallUsage([spent, second.spent]), tokens: sumTokenCounts([tokens, second.tokens]) }
  if ('error' in second) return { unavailable: second.error, ...both }
  const again = readGoldenAnswer(second.said, dimensions)
  if (!('problem' in again)) return { answer: again, ...both }
  return { error: `the judge answered twice without scores: ${String(again.problem)}`, ...both }
}

function toGoldenVerdict(
  answer: GoldenAnswer,
  golden: Golden,
  { access, asked, unavailable }: { access: JudgeAccess; asked: readonly ScoredAnswer[]; unavailable: string[] },
): JudgeVerdict {
  const scores = scoreGolden(answer, golden)
  const why = [
    ...scores.hard_fails.map((code) => `hard fail ${code}`),
    ...(golden.judge.strict_mode ? scores.unmet.map((text) => `not met: ${text}`) : []),
    ...(scores.weighted < golden.rubric.threshold_pass ? [`below ${golden.rubric.threshold_pass}`] : []),
  ]
  const evidence = [`weighted score ${scores.weighted.toFixed(2)}`, ...why, scores.justification]
  const tokens = sumTokenCounts(paidAnswers(asked).map((one) => one.tokens))
  return {
    passed: scores.verdict === 'pass',
    evidence: evidence.filter(Boolean).join('; '),
    golden: {
      ...scores,
      judge: nameJudgeAccess(access),
      ...(unavailable.length > 0 && { unavailable }),
      judge_input_tokens: tokens.input,
      judge_output_tokens: tokens.output,
    },
  }
}

function nameJudgeAccess({ judge }: JudgeAccess): string {
  return [judge.engine.name, judge.model].filter(Boolean).join(':')
}
