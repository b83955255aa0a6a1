/** Asks the judge of a run one question: builds its prompt, then recalls an earlier answer or asks the engine. */
import { dimensionKey, type Rubric, type RubricResult } from '../../../../schemas/rubric.ts'
import { runMark } from '../../../base/process/process_marks.ts'
import { askEngine } from '../../../engines/ask/ask.ts'
import { sumCallUsage } from '../../../engines/ask/cost_meter.ts'
import { saysContextFull } from '../../../engines/limits/error_text.ts'
import type { EvidenceFile } from '../evidence/verify_evidence.ts'
import type { JudgeRequest, JudgeResult } from '../judge_request.ts'
import type { QuoteSources } from './judge_answer.ts'
import {
  boundedText,
  findMissingVerdicts,
  type JudgeAnswer,
  type JudgeVerdict,
  judgeAnswer,
  readVerdicts,
} from './judge_answer.ts'
import type { JudgeTempDir } from './judge_folder.ts'
import { type JudgePromptRequest, judgePrompt } from './judge_prompt.ts'
import type { JudgeRunView } from './run_excerpt.ts'
import { type JudgeImages, withoutAttachedImages } from './run_excerpt.ts'

export interface JudgeSession {
  request: JudgeRequest
  tempDir: JudgeTempDir
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
  { request, tempDir, images, buildView, sample }: JudgeSession,
  asked: Asked,
  shorter: number,
): Promise<{ judged: JudgeResult; refusal?: string }> {
  const { case: one, judge, memory } = request
  const view = buildView(images, shorter)
  const isConversation = one.turns !== undefined || one.user !== undefined
  const { prompt: task, expected_output: expectedOutput, user } = one
  const question = { prompt: task, expectedOutput, isConversation, user, tempDir, view, ...asked }
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
      cwd: tempDir.cwd,
      env: { ...request.env, [runMark]: tempDir.mark },
      credentials: request.credentials,
      skills: [],
      tools: 'read_only',
      toolsOptional: view.isWhole && view.imagesToOpen === 0 && tempDir.inputs.length === 0,
      maxTurns,
      sandbox:
        request.sandboxFor?.([tempDir.cwd, ...(request.env.HOME === undefined ? [] : [request.env.HOME])]) ?? null,
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

/** The expectations and the rubric of a question, if any. */
interface AskedCriteria {
  expectations: readonly string[]
  rubric?: Rubric | undefined
}

const usualThreshold = 4

/** The verdict on each expectation, in order, then that on the rubric, if there is one. */
export function readAllVerdicts(answer: JudgeAnswer, { expectations, rubric }: AskedCriteria): JudgeVerdict[] {
  const verdicts = readVerdicts(answer, expectations)
  return rubric === undefined ? verdicts : [...verdicts, rubricVerdict(answer, rubric)]
}

function buildUndecidedVerdicts({ expectations, rubric }: AskedCriteria, error: string): JudgeVerdict[] {
  return Array.from({ length: expectations.length + (rubric === undefined ? 0 : 1) }, () => ({ error }))
}

/** What the judge has to fix, in one line; null: nothing. */
export function findAnswerMistakes(answer: JudgeAnswer, { expectations, rubric }: AskedCriteria): string | null {
  const missing = findMissingVerdicts(answer, expectations)
  const mistakes = rubric === undefined ? [] : findRubricMistakes(answer, rubric)
  const all = [...(missing === null ? [] : [missing]), ...(mistakes.length === 0 ? [] : [rubricFix(mistakes)])]
  return all.length === 0 ? null : all.join('; ')
}

function rubricFix(mistakes: readonly string[]): string {
  return `the rubric needs one score from 1 to 5 with a justification for each of its dimensions; ${mistakes.join('; ')}`
}

function rubricVerdict(answer: JudgeAnswer, rubric: Rubric): JudgeVerdict {
  const mistakes = findRubricMistakes(answer, rubric)
  if (mistakes.length > 0) return { error: `the judge's scores do not fit the rubric: ${mistakes.join('; ')}` }
  const result = toRubricResult(answer, rubric)
  return { passed: result.passed, evidence: describeRubricResult(result), rubric: result }
}

/** Scores that are missing, unknown, contradictory, out of range or unjustified, and unknown hard fails. */
function findRubricMistakes({ rubric: given }: JudgeAnswer, { dimensions, hard_fails = [] }: Rubric): string[] {
  if (given === null) return ['there are no scores']
  const known = new Set(dimensions.map(({ name }) => dimensionKey(name)))
  const unknown = given.scores.filter(({ dimension }) => !known.has(dimensionKey(dimension)))
  const strange = given.hard_fails.filter(({ n }) => hard_fails[n - 1] === undefined)
  return [
    ...dimensions.flatMap(({ name }) => findDimensionMistakes(name, given.scores)),
    ...unknown.map(({ dimension }) => `${formatJudgeText(dimension)} is no dimension of the rubric`),
    ...strange.map(({ n }) => `there is no hard fail ${n}`),
    ...given.hard_fails
      .filter(({ evidence }) => evidence.trim() === '')
      .map(({ n }) => `hard fail ${n} has no evidence`),
  ]
}

function findDimensionMistakes(name: string, scores: NonNullable<JudgeAnswer['rubric']>['scores']): string[] {
  const own = scores.filter(({ dimension }) => dimensionKey(dimension) === dimensionKey(name))
  const [first] = own
  if (first === undefined) return [`${name} has no score`]
  if (own.some(({ score }) => score !== first.score)) return [`${name} has scores that contradict`]
  if (!Number.isInteger(first.score) || first.score < 1 || first.score > 5) {
    return [`${name} has the score ${first.score}, not a whole number from 1 to 5`]
  }
  return own.every(({ justification }) => justification.trim() === '') ? [`${name} has no justification`] : []
}

/** Expects an answer without mistakes. */
function toRubricResult({ rubric: given }: JudgeAnswer, rubric: Rubric): RubricResult {
  const dimensions = rubric.dimensions.map(({ name, weight }) => {
    const own = (given?.scores ?? []).filter(({ dimension }) => dimensionKey(dimension) === dimensionKey(name))
    const justification = own.map((one) => one.justification.trim()).find((text) => text !== '') ?? ''
    return { name, weight, score: own[0]?.score ?? 1, justification: boundedText(justification) }
  })
  const hard_fails = (given?.hard_fails ?? []).flatMap(({ n, evidence }) => {
    const text = rubric.hard_fails?.[n - 1]
    return text === undefined ? [] : [{ text, evidence: boundedText(evidence.trim()) }]
  })
  const total = dimensions.reduce((sum, { weight }) => sum + weight, 0)
  const score = dimensions.reduce((sum, one) => sum + one.weight * one.score, 0) / total
  const threshold = rubric.threshold ?? usualThreshold
  // binary rounding must not fail a score that equals the threshold
  const passed = hard_fails.length === 0 && score >= threshold - 1e-9
  return { dimensions, hard_fails, weighted_score: Math.round(score * 100) / 100, threshold, passed }
}

function describeRubricResult({ dimensions, hard_fails, weighted_score, threshold }: RubricResult): string {
  const scores = dimensions.map(({ name, score }) => `${name} ${score}`).join(', ')
  const fails = hard_fails.map(({ text, evidence }) => `; hard fail: ${text} (${evidence})`).join('')
  return `${weighted_score} of 5, ${threshold} passes (${scores})${fails}`
}

function formatJudgeText(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
