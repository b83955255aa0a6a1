/** Asks the judge of a run one question: builds its prompt, then recalls an earlier answer or asks the engine. */
import { runMark } from '../../../base/process/process_marks.ts'
import { askEngine } from '../../../engines/ask/ask.ts'
import { sumCallUsage } from '../../../engines/ask/cost_meter.ts'
import { saysContextFull } from '../../../engines/limits/context_full.ts'
import type { EvidenceFile } from '../evidence/verify_evidence.ts'
import type { JudgeRequest, JudgeResult } from '../judge_request.ts'
import { type JudgeVerdict, judgeAnswer } from './judge_answer.ts'
import type { JudgeTempDir } from './judge_folder.ts'
import { type JudgeImages, withoutAttachedImages } from './judge_images.ts'
import { type JudgePromptRequest, judgePrompt } from './judge_prompt.ts'
import { type AskedCriteria, buildUndecidedVerdicts, findAnswerMistakes, readAllVerdicts } from './rubric.ts'
import type { JudgeRunView } from './run_excerpt.ts'
import type { QuoteSources } from './verify_answer.ts'

/** What a judge works with. */
export interface JudgeSession {
  request: JudgeRequest
  room: JudgeTempDir
  files: readonly EvidenceFile[]
  /** Recognises the agent's claims about its own work, for a statement. */
  claims: QuoteSources['claims']
  images: JudgeImages
  /** The run as its prompt shows it, with these images; `shorter` divides how much of it. */
  buildView: (images: JudgeImages, shorter: number) => JudgeRunView
  /** Number of the vote, from 1; each is cached separately. */
  sample: number
}

const maxTurns = 60

type Asked = Pick<JudgePromptRequest, 'expectations' | 'turns' | 'rubric' | 'again'>

/**
 * Asks about these expectations. A judge that refuses images is asked without them, and one for whose context the run is too long is
 * shown less of it: neither is a failure of the judge. Rejects only when aborted.
 */
export async function askJudge(session: JudgeSession, asked: Asked): Promise<JudgeResult> {
  let { images } = session
  let [end, shorter] = [await askOnce(session, asked, 1), 1]
  const spent = [end.judged.spent]
  while (end.refusal !== undefined) {
    const isTooLong = saysContextFull(end.refusal)
    if (images.attached.length > 0) images = withoutAttachedImages(images)
    else if (isTooLong && shorter < shortest) shorter *= 4
    else break
    end = await askOnce({ ...session, images }, asked, shorter)
    spent.push(end.judged.spent)
  }
  return spent.length === 1 ? end.judged : { ...end.judged, spent: sumCallUsage(spent) }
}

/** The most that the shown part of a run is divided by. */
const shortest = 16

/** `refusal`: the provider refused the request itself. */
async function askOnce(
  { request, room, images, buildView, sample }: JudgeSession,
  asked: Asked,
  shorter: number,
): Promise<{ judged: JudgeResult; refusal?: string }> {
  const { case: one, judge, memory } = request
  const view = buildView(images, shorter)
  const isConversation = one.turns !== undefined || one.user !== undefined
  const { prompt: task, expected_output: expectedOutput, user } = one
  const question = { prompt: task, expectedOutput, isConversation, user, room, view, ...asked }
  const { text: prompt, shared } = judgePrompt(question)
  const name = sample === 1 ? prompt : `${prompt}\n\u0000sample ${sample}`
  const known = recallAnswer(await memory?.recall(name), asked)
  if (known !== null) return { judged: known }
  const end = await askEngine({
    engine: judge.engine,
    task: {
      prompt,
      sharedPrefix: shared,
      ...(images.attached.length > 0 && { images: images.attached }),
      model: judge.model,
      effort: judge.effort,
      command: judge.command,
      cwd: room.cwd,
      env: { ...request.env, [runMark]: room.mark },
      credentials: request.credentials,
      skills: [],
      tools: 'read_only',
      toolsOptional: view.isWhole && view.imagesToOpen === 0 && room.inputs.length === 0,
      maxTurns,
      sandbox: request.sandboxFor?.([room.cwd, ...(request.env.HOME === undefined ? [] : [request.env.HOME])]) ?? null,
    },
    schema: judgeAnswer,
    context: { signal: request.signal, emit: () => {}, stderrFile: null, ...(request.gate && { gate: request.gate }) },
    review: (answer) => findAnswerMistakes(answer, asked),
  })
  if (end.status === 'error') {
    const judged = { verdicts: buildUndecidedVerdicts(asked, end.error), answer: null, spent: end.spent }
    return { judged, ...(end.error.startsWith('bad_request:') && { refusal: end.error }) }
  }
  const { value: answer, spent } = end
  const verdicts = readAllVerdicts(answer, asked)
  if (isWhole(verdicts)) await memory?.keep(name, { answer, spent })
  return { judged: { verdicts, answer, spent } }
}

function recallAnswer(known: RecalledAnswer | undefined, asked: AskedCriteria): JudgeResult | null {
  const answer = judgeAnswer.safeParse(known?.answer)
  if (!known || !answer.success) return null
  const verdicts = readAllVerdicts(answer.data, asked)
  return isWhole(verdicts) ? { verdicts, answer: answer.data, spent: known.spent, cachedFrom: known.from } : null
}

type RecalledAnswer = Awaited<ReturnType<NonNullable<JudgeRequest['memory']>['recall']>>

function isWhole(verdicts: readonly JudgeVerdict[]): boolean {
  return !verdicts.some((verdict) => 'error' in verdict)
}
