/** One question to the judge of a run: its prompt, what was answered to it before, the answer now. */
import { runMark } from '../../base/processes.ts'
import { ask } from './ask.ts'
import type { EvidenceFile } from './evidence/verify.ts'
import type { Judged, JudgeRequest } from './judge.ts'
import { judgeAnswer, missingIn, type Verdict, verdictsOf } from './judge_answer.ts'
import { type JudgePromptRequest, judgePrompt } from './judge_prompt.ts'
import type { JudgeRoom } from './judge_room.ts'

/** Where a judge sits. */
export interface Sitting {
  request: JudgeRequest
  room: JudgeRoom
  files: readonly EvidenceFile[]
  /** Which of several votes this is, from 1; each is remembered by itself. */
  sample: number
}

const maxTurns = 60

/** Asks about these expectations. Rejects only when aborted. */
export async function askJudge(
  { request, room, sample }: Sitting,
  asked: Pick<JudgePromptRequest, 'expectations' | 'again'>,
): Promise<Judged> {
  const { case: one, judge, memory } = request
  const count = asked.expectations.length
  const prompt = judgePrompt({ prompt: one.prompt, expectedOutput: one.expected_output, room, ...asked })
  const name = sample === 1 ? prompt : `${prompt}\n\u0000sample ${sample}`
  const known = recalled(await memory?.recall(name), count)
  if (known !== null) return known
  const end = await ask({
    engine: judge.engine,
    task: {
      prompt,
      model: judge.model,
      command: judge.command,
      cwd: room.cwd,
      env: { ...request.env, [runMark]: room.mark },
      credentials: request.credentials,
      skills: [],
      tools: 'read_only',
      maxTurns,
      sandbox: request.sandboxFor?.([room.cwd, ...(request.env.HOME === undefined ? [] : [request.env.HOME])]) ?? null,
    },
    schema: judgeAnswer,
    context: { signal: request.signal, emit: () => {}, stderrFile: null, ...(request.gate && { gate: request.gate }) },
    review: (answer) => missingIn(answer, count),
  })
  if (end.status === 'error') {
    return { verdicts: asked.expectations.map(() => ({ error: end.error })), answer: null, spent: end.spent }
  }
  const { value: answer, spent } = end
  const verdicts = verdictsOf(answer, count)
  if (isWhole(verdicts)) await memory?.keep(name, { answer, spent })
  return { verdicts, answer, spent }
}

function recalled(known: Recalled | undefined, count: number): Judged | null {
  const answer = judgeAnswer.safeParse(known?.answer)
  if (!known || !answer.success) return null
  const verdicts = verdictsOf(answer.data, count)
  return isWhole(verdicts) ? { verdicts, answer: answer.data, spent: known.spent, cachedFrom: known.from } : null
}

type Recalled = Awaited<ReturnType<NonNullable<JudgeRequest['memory']>['recall']>>

function isWhole(verdicts: readonly Verdict[]): boolean {
  return !verdicts.some((verdict) => 'error' in verdict)
}
