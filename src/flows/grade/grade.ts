/** grade: grades a benchmark's runs again without repeating them, with the suite's current criteria and a judge of choice. */
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import type { Grading } from '../../../schemas/grading.ts'
import { type Plan, plan as planSchema, type RunSpec } from '../../../schemas/plan.ts'
import type { LoadWarning, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { chooseSandbox, noSandboxWish, type SandboxWish } from '../../base/sandbox/choose.ts'
import { sumKnown } from '../../base/totals.ts'
import { withBaseUrl } from '../../engines/models/base_url.ts'
import { withEffort } from '../../engines/models/effort.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { loadSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { rebuildSuite, selectCases } from '../../phases/1-plan/suite/select_cases.ts'
import { isConductCheck } from '../../phases/3-judge/checks/inputs/events.ts'
import { type Damage, type OnDamage, readTranscript } from '../../store/artefacts/damage.ts'
import { describeRemoved, readRemoved } from '../../store/artefacts/removed_parts.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { compareWithSignature } from '../../store/signing/own_runs.ts'
import { findSigner, type ResultSigner } from '../../store/signing/signer.ts'
import { isOwnPlan, readPlan, readRun, writeArtefact, writePlan } from '../../store/store.ts'
import { authorizePlannedEngine, rememberNamedEngines } from '../authorize/planned_programs.ts'
import { authorizeGrading } from '../authorize/suite_commands.ts'
import { cacheMode, openJudgeCache } from '../cache/run_cache.ts'
import type { FlowContext } from '../flow_context.ts'
import type { GradeRequest } from '../judge/grade_stored_run.ts'
import { gradeRepeatedly, gradeStoredRun } from '../judge/grade_stored_run.ts'
import { hasJudgeVerdicts } from '../judge/open_judge.ts'
import { batchWidth, openJudgeBatch } from '../judge_batch.ts'
import { openAccountLimiters } from '../limits/rate_limiters.ts'
import { createAutoEngine, type JudgingWish, resolveJudgingOptions } from '../prepare/choose_engine.ts'
import { preflight } from '../prepare/preflight.ts'
import { lockNamedFolder } from '../report/report_folder.ts'
import { type BenchResult, type KeptGradings, summarizeBenchmark } from '../report/summarize.ts'
import { listBenchmarkHiddenPaths } from '../sandbox/start_sandbox.ts'

export interface GradeAgainRequest {
  benchmark: string
  /** engine[:model]; null: the plan's. */
  judge: string | null
  /** The URL of the judge's server; null: the planned one, or the environment's. */
  baseUrl?: string | null
  /** Absent or null fields: as planned. */
  judging?: JudgingWish
  cases: readonly string[]
  concurrency: number
  /** Grade even if criteria and judge are the same; ignore judges' cached answers. */
  anew: boolean
  /** Whether to read judge answers from the workspace's cache and store new ones. */
  cache: boolean
  /** How many extra gradings per run, to measure the noise of grading. */
  again: number
  passEnv: readonly string[]
  sandbox: SandboxWish | null
  /** Ask the judge through its provider's batch API; absent: directly. */
  judgeBatch?: boolean | undefined
}

export async function grade(request: GradeAgainRequest, context: FlowContext): Promise<BenchResult> {
  const folder = path.resolve(request.benchmark)
  const before = await readPlan(folder)
  await using lock = await lockNamedFolder(folder, context)
  return await gradeLocked(folder, before, { request, context: lock.context })
}

async function gradeLocked(
  folder: string,
  before: Plan,
  { request, context }: { request: GradeAgainRequest; context: FlowContext },
): Promise<BenchResult> {
  const named = { choice: request.judge !== null, baseUrl: (request.baseUrl ?? null) !== null }
  const planned = { file: folder, role: 'judge', choice: before.options.judge, named, wish: request.sandbox } as const
  await authorizePlannedEngine(planned, context)
  const plan = await withPresentCriteria(before, request, context)
  if (named.choice || named.baseUrl) rememberNamedEngines([plan.options.judge], context)
  const wanted = new Set(selectCases(rebuildSuite(plan), request.cases).cases.map((one) => one.eval_id))
  const sandbox = await chooseSandbox(request.sandbox ?? noSandboxWish, context.env.PATH ?? '')
  await authorizeGrading({ plan, wanted, sandbox, wish: request.sandbox }, context)
  const probes = await preflight({ '--judge': plan.options.judge }, request.passEnv, context)
  const signer = findSigner(context.env)
  const adoption = await openAdoption({ folder, signer }, before, plan)
  const { judge } = plan.options
  const batch = request.judgeBatch && judge !== null ? await openJudgeBatch({ folder, choice: judge }, context) : null
  const limit = pLimit(batch === null ? request.concurrency : batchWidth)
  using pace = openAccountLimiters(undefined, context)
  const { passEnv, anew, again } = request
  const mode = cacheMode({ cache: request.cache, fresh: anew })
  const cache = await openJudgeCache({ plan, folder, mode, probes, passEnv }, context)
  const hidden = listBenchmarkHiddenPaths(plan, folder)
  const changed = changedCases(before, plan)
  const kept: Grading[] = []
  const gradeOne = async (spec: RunSpec) => {
    if (context.drain.aborted) return
    const stray = findStrayRun(folder, spec.run_id)
    if (stray !== null) return context.emit({ type: 'artefact_damaged', ...stray, mended: 'it is not graded' })
    const { grading } = runPaths(folder, spec.run_id)
    const stored = await readRun(folder, spec.run_id, (damage) => {
      if (damage.file !== grading) return // the reports will mention it
      context.emit({ type: 'artefact_damaged', ...damage, mended: 'the run is graded again' })
    })
    if (stored === null) return
    const run = { runId: spec.run_id, record: stored.record, signer }
    const isForeign = (await compareWithSignature(folder, run)) === 'foreign'
    const own = { isForeign, cache: isForeign ? null : cache } // what a judge says of it is no answer about the recorded run
    const one = { plan, folder, spec, stored, passEnv, hidden, sandbox, again: anew, ...own, pace, batch }
    const isOutdated = stored.grading !== null && changed.has(spec.eval_id)
    const mended = isOutdated ? outdatedGradingNote : 'it is not graded'
    const isWhole = async () => {
      const transcript = path.join(runPaths(folder, spec.run_id).folder, 'transcript.jsonl')
      const isIt = await isGradable(transcript, { plan, spec, stored }, ({ file, message }) =>
        context.emit({ type: 'artefact_damaged', file, message, mended }),
      )
      if (!isIt && isOutdated) await rename(grading, path.join(path.dirname(grading), outdatedName))
      return isIt
    }
    const end = await gradeStoredRun({ ...one, keeps: !changed.has(spec.eval_id), isWhole }, context)
    if (end.end === 'nothing') return
    if (end.end === 'kept') {
      kept.push(end.made)
      return
    }
    if (hasJudgeVerdicts(end.grading)) await adoption.adopt()
    // a repeated grading needs a new answer, and what the judge reads
    if (again > 0 && !(await isWhole())) return
    await gradeRepeatedly({ ...one, cache: null, stored: { ...stored, grading: end.grading } }, again, context)
  }
  const jobs = plan.runs
    .filter((spec) => wanted.has(spec.eval_id))
    .map((spec) => limit(() => (batch === null ? gradeOne(spec) : batch.track(() => gradeOne(spec)))))
  const ends = await Promise.allSettled(jobs)
  context.signal.throwIfAborted()
  const failed = ends.find((end) => end.status === 'rejected' && !batch?.isInterruption(end.reason))
  if (failed?.status === 'rejected') throw failed.reason
  if (!context.drain.aborted) await batch?.finish()
  const made = await summarizeBenchmark(folder, adoption.plan, context)
  return kept.length === 0 ? made : { ...made, kept: describeKeptGradings(kept, plan) }
}

/** Holds a run's grading under earlier criteria when the current ones can't be applied. */
const outdatedName = 'grading-outdated.json'
const outdatedGradingNote = `it is not graded; its grading by the earlier criteria no longer counts and is in ${outdatedName}`

/** Whether the transcript is complete enough to grade: a truncated one would pass less. Reports the reason if not. */
async function isGradable(
  transcript: string,
  { plan, spec, stored: { record } }: Pick<GradeRequest, 'plan' | 'spec' | 'stored'>,
  onDamage: OnDamage,
): Promise<boolean> {
  const gone = readRemoved(path.dirname(transcript))
  if (gone !== null) {
    onDamage({ file: transcript, message: `${transcript} ${describeRemoved(gone)}` })
    return false
  }
  if (record.status !== 'completed') return true // grading does not read its transcript
  const one = plan.cases.find(({ eval_id }) => eval_id === spec.eval_id)
  const isRead = one === undefined || one.expectations.length > 0 || one.checks.some(isConductCheck)
  if (!isRead && !existsSync(transcript)) return true
  return (await readTranscript(transcript, record, onDamage)) !== null
}

/** Why the requested judge decided nothing. */
function describeKeptGradings(failed: readonly Grading[], { options: { judge } }: Plan): KeptGradings {
  const reason = failed.flatMap(({ judge_errors: errors }) => errors ?? [])[0]?.reason ?? 'the judge gave no verdict'
  const tokens = sumKnown(failed.map((one) => one.judge?.tokens ?? null))
  const costUsd = sumKnown(failed.map((one) => one.judge?.cost_usd ?? null))
  return { runs: failed.length, judge: judge === null ? 'none' : judgeName(judge), reason, tokens, costUsd }
}

function changedCases(before: Plan, now: Plan): ReadonlySet<number> {
  const criteriaOf = ({ expectations, checks, grading_files, expected_output, reference }: SuiteCase) =>
    canonicalJson({ expectations, checks, grading_files, expected_output, reference })
  const old = new Map(before.cases.map((one) => [one.eval_id, criteriaOf(one)]))
  return new Set(now.cases.flatMap((one) => (old.get(one.eval_id) === criteriaOf(one) ? [] : one.eval_id)))
}

/** The plan with the suite's current criteria, case by case; what shaped the runs stays. */
async function withPresentCriteria(plan: Plan, request: GradeAgainRequest, context: FlowContext): Promise<Plan> {
  const suite = (await pathExists(plan.suite.path)) ? await loadSuite(plan.suite.path, plan.skill.path) : null
  const warnings: LoadWarning[] = [...plan.warnings]
  const cases = plan.cases.map((old) => {
    const now = suite?.cases.find((one) => one.eval_id === old.eval_id)
    if (now === undefined) return old
    if (now.prompt !== old.prompt) {
      const message = 'the prompt has changed since the runs; they are graded with the prompt that they had'
      warnings.push({ file: plan.suite.path, at: `case ${old.eval_id}`, message })
    }
    return withCriteria(old, now)
  })
  const { judge: planned, engine } = plan.options
  const choices: string[] = []
  const named = request.judge === null ? planned : await createAutoEngine(context).judge(request.judge, engine, choices)
  const known = new Set(plan.warnings.map(({ message }) => message))
  for (const message of choices) if (!known.has(message)) warnings.push({ file: '--judge', at: '', message })
  const placed = named && withBaseUrl(named, request.baseUrl ?? null)
  const judge = placed && withEffort(placed, request.judging?.effort ?? null, '--judge-effort')
  if (judge === null && cases.some((one) => one.expectations.length > 0)) {
    throw new UserError('no judge for the expectations that the suite now has', 'add --judge')
  }
  return {
    ...plan,
    cases,
    warnings,
    options: { ...plan.options, judge, ...resolveJudgingOptions(request.judging, plan.options) },
  }
}

function withCriteria(old: SuiteCase, now: SuiteCase): SuiteCase {
  const { expectations, checks, expected_output, reference, grading_files } = now
  const { grading_files: _, ...rest } = old
  return { ...rest, expectations, checks, expected_output, reference, ...(grading_files && { grading_files }) }
}

interface Adoption {
  readonly plan: Plan
  /** Writes the new judge into plan.json; later calls do nothing. */
  adopt: () => Promise<void>
}

/** Somebody else's plan stays unsigned. Writes the criteria of the `wanted` plan at once, and its judge too if it is the same or not needed. */
async function openAdoption(
  { folder, signer }: { folder: string; signer: ResultSigner },
  before: Plan,
  wanted: Plan,
): Promise<Adoption> {
  const file = benchmarkPaths(folder).plan
  const isOwn = isOwnPlan(folder, signer)
  const write = (value: Plan) => (isOwn ? writePlan(folder, value, signer) : writeArtefact(planSchema, file, value))
  const isSame = canonicalJson(before.options) === canonicalJson(wanted.options)
  const isAsked = wanted.cases.some(({ expectations }) => expectations.length > 0)
  const known = new Set(before.warnings.map(({ message }) => message))
  const warnings = wanted.warnings.filter((one) => one.file !== '--judge' || known.has(one.message))
  let plan = isSame || !isAsked ? wanted : { ...wanted, options: before.options, warnings }
  await write(plan)
  let adopting: Promise<void> | null = plan === wanted ? Promise.resolve() : null
  return {
    get plan() {
      return plan
    },
    adopt() {
      plan = wanted
      adopting ??= write(wanted)
      return adopting
    },
  }
}

/** The path of a run that a link leads out of its parent folder; null: none, or the run does not exist. */
function findStrayRun(benchmark: string, runId: string): Damage | null {
  const { folder, outputs } = runPaths(benchmark, runId)
  const isStray = (above: string, place: string) => existsSync(place) && !isInsideFolder(above, place)
  const file = isStray(benchmark, folder) ? folder : isStray(folder, outputs) ? outputs : null
  return file === null ? null : { file, message: `${file}: a link leads to another folder` }
}
