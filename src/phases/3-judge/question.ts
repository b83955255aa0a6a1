/** One question to the judge of a run: its prompt, what was answered to it before, the answer now. */
import { runMark } from '../../base/process_marks.ts'
import { ask } from './ask.ts'
import type { EvidenceFile } from './evidence/verify.ts'
import type { Judged, JudgeRequest } from './judge.ts'
import { judgeAnswer, type Verdict } from './judge_answer.ts'
import { type JudgePromptRequest, judgePrompt } from './judge_prompt.ts'
import type { JudgeRoom } from './judge_room.ts'
import { type Asked, undecided, verdictsOn, wrongIn } from './rubric.ts'
import type { RunView } from './run_view.ts'

/** Where a judge sits. */
export interface Sitting {
  request: JudgeRequest
  room: JudgeRoom
  files: readonly EvidenceFile[]
  /** The run as its prompt shows it. */
  view: RunView
  /** Which of several votes this is, from 1; each is remembered by itself. */
  sample: number
}

const maxTurns = 60

/** Asks about these expectations. Rejects only when aborted. */
export async function askJudge(
  { request, room, view, sample }: Sitting,
  asked: Pick<JudgePromptRequest, 'expectations' | 'rubric' | 'again'>,
): Promise<Judged> {
  const { case: one, judge, memory } = request
  const question = { prompt: one.prompt, expectedOutput: one.expected_output, room, view, ...asked }
  const { text: prompt, shared } = judgePrompt(question)
  const name = sample === 1 ? prompt : `${prompt}\n\u0000sample ${sample}`
  const known = recalled(await memory?.recall(name), asked)
  if (known !== null) return known
  const end = await ask({
    engine: judge.engine,
    task: {
      prompt,
      sharedPrefix: shared,
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
    review: (answer) => wrongIn(answer, asked),
  })
  if (end.status === 'error') {
    return { verdicts: undecided(asked, end.error), answer: null, spent: end.spent }
  }
  const { value: answer, spent } = end
  const verdicts = verdictsOn(answer, asked)
  if (isWhole(verdicts)) await memory?.keep(name, { answer, spent })
  return { verdicts, answer, spent }
}

function recalled(known: Recalled | undefined, asked: Asked): Judged | null {
  const answer = judgeAnswer.safeParse(known?.answer)
  if (!known || !answer.success) return null
  const verdicts = verdictsOn(answer.data, asked)
  return isWhole(verdicts) ? { verdicts, answer: answer.data, spent: known.spent, cachedFrom: known.from } : null
}

type Recalled = Awaited<ReturnType<NonNullable<JudgeRequest['memory']>['recall']>>

function isWhole(verdicts: readonly Verdict[]): boolean {
  return !verdicts.some((verdict) => 'error' in verdict)
}
