/** Grades one run: checks by code, expectations by a judge, the summary by counting. */
import path from 'node:path'
import type { Grading } from '../../../schemas/grading.ts'
import { type ExecutionMetrics, metrics } from '../../../schemas/metrics.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { canonicalJson, MadeJson, readJson, readText, sha256 } from '../../base/json.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import { type Gate, heldBackBy } from '../../engines/gate.ts'
import { readEvents } from './checks/events.ts'
import type { CheckScene } from './checks/scene.ts'
import { byChecks, byJudge, type Decisions, timedOut } from './decisions.ts'
import type { Fence } from './fence.ts'
import { type JudgeChoice, type Judged, type JudgeMemory, judgeRun } from './judge.ts'
import { judgePromptSource } from './judge_prompt.ts'
import { runOutputs } from './judge_room.ts'
import type { Seat } from './own/ask_plainly.ts'
import { verdictPromptVersion } from './own/verdict.ts'
import { judgeParts } from './remarks.ts'
import { summarize } from './summary.ts'

export interface GradeRunRequest {
  case: SuiteCase
  record: RunRecord
  /** Absolute path of the run's folder, with transcript.md and outputs/. */
  runFolder: string
  /** The skill under test, and whether this arm has it; absent or null: not known. */
  skill?: CheckScene['skill']
  /** null: nobody judges; expectations then become judge errors. */
  judge: JudgeChoice | null
  onTimeout: 'fail' | 'exclude'
  /** Rebuilds the working folder as the agent left it in `target`, for command checks. */
  restore: (target: string) => Promise<void>
  /** The whole environment of command checks and of the judge; holds no credential. */
  env: Readonly<Record<string, string>>
  /** What a command check or the judge is confined to when these folders are its own; absent or null: nothing. */
  sandboxFor?: (writable: readonly string[]) => Sandbox | null
  /** The judge's, by the names in its engine's `credentials`. */
  credentials: Readonly<Record<string, string>>
  /** Before the judge's account; absent: an open one. */
  gate?: Gate | undefined
  signal: AbortSignal
  /** A pass whose quotes are not found, asked twice, is a judge error. */
  requireEvidence?: boolean | undefined
  /** Where a check fails no judge is asked; absent: it is. */
  fastFail?: boolean | undefined
  /** Votes of the judge on each expectation; absent: one. */
  samples?: number | undefined
  /** How data is set apart for the judge; absent: by a fence that it can't close. Another only to show what the fence is for. */
  fenceOf?: ((texts: readonly string[]) => Fence) | undefined
  /** Who is asked where the judge can't be; for formats that name such. */
  fallbacks?: readonly Seat[] | undefined
  /** What judges answered earlier; absent or null: nothing is remembered. */
  memory?: JudgeMemory | null
}

/** A grading, when it was made (ISO times), and how long that took by a clock that nobody sets. */
export interface Graded {
  grading: Grading
  start: string
  end: string
  seconds: number
}

interface Begun {
  at: Date
  /** Of performance.now(). */
  ms: number
}

/**
 * Grades. null: there is nothing to grade (failed, cancelled, timed out and excluded, or no criteria). A judge that fails
 * leaves the checks' verdicts standing. Rejects only when aborted or on a bug.
 */
export async function gradeRun(request: GradeRunRequest): Promise<Graded | null> {
  const { record, case: one } = request
  const begun = { at: new Date(), ms: performance.now() }
  if (one.expectations.length + one.checks.length === 0) return null
  switch (record.status) {
    case 'failed':
    case 'cancelled':
      return null
    case 'timed_out':
      if (request.onTimeout === 'exclude') return null
      return finish(request, begun, { ...timedOut(one, record.duration_ms), judged: null })
    case 'completed': {
      const checks = one.checks.length === 0 ? null : await byChecks(one, await sceneOf(request))
      if (request.fastFail && checks?.expectations.some(({ passed }) => !passed)) {
        return finish(request, begun, { ...checks, judged: null })
      }
      const judged = await judgeIfAny(request)
      const asked = byJudge(one, judged?.verdicts ?? null)
      return finish(request, begun, {
        expectations: [...asked.expectations, ...(checks?.expectations ?? [])],
        errors: [...asked.errors, ...(checks?.errors ?? [])],
        judged,
      })
    }
  }
}

/** All that shapes a grading but the run: the criteria, the judge and what it is told. */
export interface GradedBy {
  case: SuiteCase
  judge: EngineChoice | null
  onTimeout: 'fail' | 'exclude'
  samples?: number | undefined
  requireEvidence?: boolean | undefined
  fastFail?: boolean | undefined
}

/** Hex sha256 of the canonical JSON of all that and of the run's key. */
export function gradedKey({ runKey, ...by }: GradedBy & { runKey: string }): string {
  return gradedKeys(by)(runKey)
}

const template = new MadeJson(judgePromptSource)

/** The same for many runs of a case: what they share, which is long, is put together once. */
export function gradedKeys(by: GradedBy): (runKey: string) => string {
  const { expectations, checks, prompt, expected_output, files, judging } = by.case
  const { onTimeout, samples, requireEvidence, fastFail } = by
  const asks = expectations.length > 0 && by.judge !== null
  // by the order of their names the run's key stands between the two
  const before = canonicalJson({
    onTimeout,
    checks,
    expectations,
    judge: asks && { ...by.judge, prompt, expected_output, template, samples, requireEvidence },
    ...(judging && { judging, prompt }),
    inputs: files.map(({ path: place, sha256: content }) => ({ place, content })),
    ...(fastFail && { fastFail }),
  })
  const after = judging ? `,${canonicalJson({ version: verdictPromptVersion }).slice(1)}` : '}'
  return (runKey) => sha256(`${before.slice(0, -1)},"runKey":${JSON.stringify(runKey)}${after}`)
}

async function judgeIfAny(request: GradeRunRequest): Promise<Judged | null> {
  const { judge } = request
  return judge === null || request.case.expectations.length === 0 ? null : judgeRun({ ...request, judge })
}

async function sceneOf(request: GradeRunRequest): Promise<CheckScene> {
  const { record, runFolder, sandboxFor } = request
  return {
    finalResponse: record.final_response,
    transcript: () => readText(path.join(runFolder, 'transcript.md')).catch(() => ''),
    events: () => readEvents(path.join(runFolder, 'transcript.jsonl')),
    showsTools: record.loaded !== null,
    outputsFolder: path.join(runFolder, 'outputs'),
    outputs: (await runOutputs(runFolder)).map((file) => file.path),
    leftOut: record.outputs.left_out,
    record,
    skill: request.skill ?? null,
    start: request.case,
    restore: request.restore,
    env: request.env,
    ...(sandboxFor && { sandboxFor }),
    signal: request.signal,
  }
}

async function finish(
  request: GradeRunRequest,
  begun: Begun,
  { expectations, errors, judged }: Decisions & { judged: Judged | null },
): Promise<Graded> {
  const { record, judge, onTimeout, samples, requireEvidence, fastFail } = request
  const measured = await measuredIn(request.runFolder)
  const choice = judge && {
    name: judge.engine.name,
    model: judge.model,
    command: judge.command ?? undefined,
    base_url: judge.baseUrl,
  }
  const ms = Math.round(performance.now() - begun.ms)
  const grading: Grading = {
    expectations,
    summary: summarize(expectations),
    ...(measured && { execution_metrics: measured }),
    timing: {
      executor_duration_seconds: record.duration_ms / 1000,
      grader_duration_seconds: Math.max(0, ms - (request.gate?.waitedMs ?? 0)) / 1000,
    },
    ...(judged &&
      choice &&
      judgeParts(judged, {
        name: choice.name,
        model: choice.model,
        heldBack: request.gate && heldBackBy(request.gate),
      })),
    ...scoresOf(judged),
    ...(errors.length > 0 && { judge_errors: errors }),
    graded_key: gradedKey({
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

function scoresOf(judged: Judged | null): Pick<Grading, 'rubric' | 'golden'> {
  const verdicts = (judged?.verdicts ?? []).flatMap((one) => ('error' in one ? [] : [one]))
  const rubric = verdicts.find((one) => one.rubric !== undefined)?.rubric
  const golden = verdicts.find((one) => one.golden !== undefined)?.golden
  return { ...(rubric && { rubric }), ...(golden && { golden }) }
}

/** outputs/metrics.json without the list of files; null where there is none to read. */
async function measuredIn(runFolder: string): Promise<ExecutionMetrics | null> {
  const measured = await readJson(metrics, path.join(runFolder, 'outputs/metrics.json')).catch(() => null)
  if (measured === null) return null
  const { files_created: _, ...counted } = measured
  return counted
}
