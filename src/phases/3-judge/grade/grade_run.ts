/** Grades one run: checks by code, expectations by a judge, and a summary of counts. */
import path from 'node:path'
import type { Check } from '../../../../schemas/check.ts'
import type { GradedExpectation, Grading } from '../../../../schemas/grading.ts'
import { type ExecutionMetrics, metrics } from '../../../../schemas/metrics.ts'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import type { InputFile } from '../../../../schemas/suite.ts'
import { canonicalJson, readJson, readText, sha256 } from '../../../base/json/json.ts'
import { activeNow } from '../../../base/time/active_time.ts'
import { toHeldBack } from '../../../engines/limits/rate_limiter.ts'
import type { CheckContext } from '../checks/inputs/check_input.ts'
import { readEvents, readProgramCalls } from '../checks/inputs/events.ts'
import { leaveOutUnsaid } from '../conversation/unsent_message.ts'
import { createDocumentReads, type DocumentReads } from '../documents/document_reads.ts'
import { fileTextVersion } from '../documents/read_file_text.ts'
import { searchRun } from '../injections/find_injections.ts'
import { buildJudgeFields, judgeRun } from '../judge/judge.ts'
import { listRunOutputs } from '../judge/judge_folder.ts'
import { judgePromptSource } from '../judge/judge_prompt.ts'
import { mergeJudgeResults } from '../judge/second_question.ts'
import { type JudgeChoice, type JudgeMemory, type JudgeRequest, type JudgeResult, ownJudges } from '../judge_request.ts'
import { findContradictions, overrulePass } from './contradictions.ts'
import {
  type Decisions,
  decideByChecks,
  decideByJudge,
  type FailedCheck,
  isAnswered,
  summarizeGrading,
} from './decisions.ts'

export interface GradeRunRequest extends Omit<JudgeRequest, 'judge' | 'documents'> {
  /** The skill under test, and whether this configuration has it; absent or null: not known. */
  skill?: CheckContext['skill']
  /** null: no judge, so expectations become judge errors. */
  judge: JudgeChoice | null
  onTimeout: 'fail' | 'exclude'
  /** Rebuilds the working folder as the agent left it in `target`, for command checks. */
  restore: (target: string, state: 'end' | 'start') => Promise<void>
  /** The complete environment of command checks, with what the case sets; absent: env. */
  checkEnv?: Readonly<Record<string, string>>
  /** Skips the judge if a check fails; absent: false. */
  fastFail?: boolean | undefined
}

type ReadingRequest = GradeRunRequest & { documents: DocumentReads }

/** A grading with its start and end (ISO times), and its duration by the monotonic clock. */
export interface TimedGrading {
  grading: Grading
  start: string
  end: string
  seconds: number
}

interface GradingClock {
  at: Date
  /** From activeNow(). */
  ms: number
}

/**
 * Grades a run. null: nothing to grade (failed, cancelled, timed out and excluded, or no criteria). A failing judge does
 * not affect the checks' verdicts. Rejects only when aborted or on a bug.
 */
export async function gradeRun(given: GradeRunRequest): Promise<TimedGrading | null> {
  const request = { ...given, case: leaveOutUnsaid(given.case, given.record), documents: createDocumentReads() }
  const { record, case: one } = request
  const begun = { at: new Date(), ms: activeNow() }
  if (one.expectations.length + one.checks.length === 0) return null
  switch (record.status) {
    case 'failed':
    case 'cancelled':
      return null
    case 'timed_out':
      return request.onTimeout === 'exclude' ? null : decide(request, begun)
    case 'completed':
      return decide(request, begun)
  }
}

async function decide(request: ReadingRequest, begun: GradingClock): Promise<TimedGrading> {
  const { record, case: one } = request
  const scene = one.checks.length === 0 ? null : await buildCheckContext(request)
  const checks = scene && (await decideByChecks(one, scene))
  if (request.fastFail && record.status === 'completed' && checks?.expectations.some(({ passed }) => !passed)) {
    return finish(request, begun, { ...checks, judged: null })
  }
  const contradictions = async ({ expectations }: Decisions) =>
    scene && checks ? await findContradictions(expectations, checks.failed, scene) : new Map<never, never>()
  const asked = await decideByTwoQuestions(request, contradictions)
  return finish(request, begun, {
    expectations: [...asked.expectations, ...(checks?.expectations ?? [])],
    errors: [...asked.errors, ...(checks?.errors ?? [])],
    judged: asked.judged,
  })
}

type FindContradictions = (decided: Decisions) => Promise<ReadonlyMap<GradedExpectation, FailedCheck>>

/**
 * The judge is asked once more, without its cached answers, if a failed check contradicts a pass, or if cached answers leave something
 * undecided. Where a check still contradicts a pass, the check decides.
 */
async function decideByTwoQuestions(
  request: ReadingRequest,
  findAll: FindContradictions,
): Promise<Decisions & { judged: JudgeResult | null }> {
  const { case: one, record } = request
  let judged = await judgeIfAny(request)
  let decided = decideByJudge(one, judged?.verdicts ?? null, record)
  let against = await findAll(decided)
  const isStale = judged?.cachedFrom !== undefined && decided.errors.length > 0
  if (judged !== null && (against.size > 0 || isStale)) {
    const again = await judgeIfAny({ ...request, memory: withoutRecall(request.memory) })
    const now = decideByJudge(one, again?.verdicts ?? null, record)
    const isBetter = again !== null && now.errors.length <= decided.errors.length
    if (again !== null) judged = isBetter ? mergeJudgeResults(again, judged) : mergeJudgeResults(judged, again)
    if (isBetter) [decided, against] = [now, await findAll(now)]
  }
  const expectations = decided.expectations.map((each) => {
    const check = against.get(each)
    return check === undefined ? each : overrulePass(each, check)
  })
  return { ...decided, expectations, judged }
}

/** Asks anew; the new answer replaces the old one. */
function withoutRecall(memory: JudgeMemory | null | undefined): JudgeMemory | null {
  return memory ? { ...memory, recall: async () => null } : null
}

/** Everything except the run that shapes a grading: the criteria, the judge and its prompt. */
export interface GradingInputs
  extends Pick<GradeRunRequest, 'case' | 'onTimeout' | 'samples' | 'requireEvidence' | 'fastFail'> {
  judge: EngineChoice | null
}

/** Hex sha256 of the canonical JSON of these inputs and of the run's key. */
export function hashGradingInputs({ runKey, ...by }: GradingInputs & { runKey: string }): string {
  const { expectations, checks, prompt, expected_output, files, judging, user, grading_files = [] } = by.case
  const { onTimeout, samples, requireEvidence, fastFail } = by
  const asks = expectations.length > 0 && by.judge !== null
  const asked = { ...by.judge, prompt, expected_output, user, template: judgePromptSource, samples, requireEvidence }
  const shape = {
    runKey,
    onTimeout,
    checks,
    expectations,
    judge: asks && asked,
    ...(judging && { judging, prompt, version: ownJudges[judging.kind]?.promptVersion }),
    inputs: files.map(hashedContent),
    ...(grading_files.length > 0 && {
      graders: grading_files.map((file) => ({ ...hashedContent(file), executable: file.executable })),
    }),
    ...(fastFail && { fastFail }),
    ...(checks.some(readsFiles) && { fileTextVersion }),
  }
  return sha256(canonicalJson(shape))
}

function hashedContent({ path: place, sha256: content }: InputFile) {
  return { place, content }
}

function readsFiles(check: Check): boolean {
  return 'path' in check || ('target' in check && (check.target === 'outputs' || check.target === 'answer_or_outputs'))
}

async function judgeIfAny(request: ReadingRequest): Promise<JudgeResult | null> {
  const { judge, case: one, record } = request
  const expectations = one.expectations.filter((each) => isAnswered(each, record))
  if (judge === null || expectations.length === 0) return null
  return judgeRun({ ...request, case: { ...one, expectations }, judge })
}

async function buildCheckContext(request: ReadingRequest): Promise<CheckContext> {
  const { record, runFolder, sandboxFor } = request
  return {
    finalResponse: record.final_response,
    transcript: () => readText(path.join(runFolder, 'transcript.md')).catch(() => ''),
    events: () => readEvents(path.join(runFolder, 'transcript.jsonl')),
    showsTools: record.loaded !== null,
    outputsFolder: path.join(runFolder, 'outputs'),
    outputs: (await listRunOutputs(runFolder)).map((file) => file.path),
    documents: request.documents,
    leftOut: record.outputs.left_out,
    record,
    skill: request.skill ?? null,
    start: request.case,
    ...(request.case.grading_files && { gradingFiles: request.case.grading_files }),
    asked: request.case,
    restore: request.restore,
    env: request.checkEnv ?? request.env,
    programCalls: () => readProgramCalls(path.join(runFolder, 'programs.jsonl')),
    ...(sandboxFor && { sandboxFor }),
    signal: request.signal,
  }
}

async function finish(
  request: ReadingRequest,
  begun: GradingClock,
  { expectations, errors, judged }: Decisions & { judged: JudgeResult | null },
): Promise<TimedGrading> {
  const { record, judge, onTimeout, samples, requireEvidence, fastFail } = request
  const { runFolder, documents, signal } = request
  const measured = await readExecutionMetrics(runFolder)
  const attempts = judged === null ? await searchRun({ runFolder, prompt: request.case.prompt, documents, signal }) : []
  const choice = judge && {
    name: judge.engine.name,
    model: judge.model,
    command: judge.command ?? undefined,
    base_url: judge.baseUrl,
    effort: judge.effort,
  }
  const ms = Math.round(activeNow() - begun.ms)
  const grading: Grading = {
    expectations,
    summary: summarizeGrading(expectations),
    ...(measured && { execution_metrics: measured }),
    timing: {
      executor_duration_seconds: record.duration_ms / 1000,
      grader_duration_seconds: Math.max(0, ms - (request.gate?.waitedMs ?? 0)) / 1000,
      // with it, skill-creator's aggregator reads no tokens from timing.json; where none are known there, nothing is lost
      ...(record.usage === null && record.duration_ms > 0 && { total_duration_seconds: record.duration_ms / 1000 }),
    },
    claims: [],
    user_notes_summary: { uncertainties: [], needs_review: [], workarounds: [] },
    ...(judged &&
      choice &&
      buildJudgeFields(judged, {
        name: choice.name,
        model: choice.model,
        heldBack: request.gate && toHeldBack(request.gate),
      })),
    ...(attempts.length > 0 && { injection_attempts: attempts }),
    ...pickScores(judged),
    ...(errors.length > 0 && { judge_errors: errors }),
    graded_key: hashGradingInputs({
      runKey: record.key,
      case: request.case,
      judge: choice,
      onTimeout,
      samples,
      requireEvidence,
      fastFail,
    }),
  }
  return { grading, start: begun.at.toISOString(), end: new Date().toISOString(), seconds: ms / 1000 }
}

function pickScores(judged: JudgeResult | null): Pick<Grading, 'rubric' | 'golden'> {
  const verdicts = (judged?.verdicts ?? []).flatMap((one) => ('error' in one ? [] : [one]))
  const rubric = verdicts.find((one) => one.rubric !== undefined)?.rubric
  const golden = verdicts.find((one) => one.golden !== undefined)?.golden
  return { ...(rubric && { rubric }), ...(golden && { golden }) }
}

/** outputs/metrics.json without the list of files; null: missing or unreadable. */
async function readExecutionMetrics(runFolder: string): Promise<ExecutionMetrics | null> {
  const measured = await readJson(metrics, path.join(runFolder, 'outputs/metrics.json')).catch(() => null)
  if (measured === null) return null
  const { files_created: _, ...counted } = measured
  return counted
}
