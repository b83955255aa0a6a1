/** Grades one run on disk, unless it already has the same grading: alone, under the limits of a benchmark, or several times to measure the noise of grading. */
import { gradingStep } from '../../../schemas/flow_event.ts'
import { type Grading, grading as gradingSchema } from '../../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { getRedactor, type Redactor } from '../../base/secrets/redact.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { withUserPrices } from '../../engines/models/user_prices.ts'
import { findEngine, listSkillsFolders } from '../../engines/table.ts'
import { openCheckSurroundings } from '../../phases/2-run/workspace/install_programs.ts'
import { restoreWorkspace, withoutOutputs } from '../../phases/2-run/workspace/restore_working_folder.ts'
import { buildRunEnvironment } from '../../phases/2-run/workspace/run_environment.ts'
import { confine } from '../../phases/2-run/workspace/sandbox_policy.ts'
import type { WorkspaceRequest } from '../../phases/2-run/workspace/working_folder.ts'
import { checkStartsProcesses } from '../../phases/3-judge/checks/inputs/working_folder.ts'
import { isOverruled } from '../../phases/3-judge/grade/contradictions.ts'
import { gradeRun, type TimedGrading } from '../../phases/3-judge/grade/grade_run.ts'
import type { JudgeAccess, JudgeMemory } from '../../phases/3-judge/judge_request.ts'
import { readRemoved } from '../../store/artefacts/removed_parts.ts'
import { runPaths } from '../../store/paths.ts'
import { signedAsGrading } from '../../store/signing/own_runs.ts'
import { findSigner, writeSigned } from '../../store/signing/signer.ts'
import { readRepeatGradings, type StoredRun, writeArtefact, writeGrading } from '../../store/store.ts'
import { cacheNewGrading, computeGradingKey, createJudgeMemory } from '../cache/cached_grading.ts'
import type { JudgeCache } from '../cache/run_cache.ts'
import type { FlowContext } from '../flow_context.ts'
import { loadFormatSteps } from '../format_steps.ts'
import type { JudgeBatch } from '../judge_batch.ts'
import type { LimitedBench } from '../limits/limited_bench.ts'
import type { AccountLimiters, RateLimitedWork } from '../limits/rate_limiters.ts'
import { runName, toGradeFinishedEvent } from '../run_events.ts'
import { isWorthKeeping, toJudgeChoice } from './open_judge.ts'

/** `there`: already graded. `kept`: the judge decided nothing, so the earlier grading stays; `made` says why. */
type GradeEnd =
  | { end: 'made' | 'there'; grading: Grading }
  | { end: 'kept'; grading: Grading; made: Grading }
  | { end: 'nothing' }

/** Writes grading.json if the run can be graded and no better grading is lost. */
export async function gradeStoredRun(request: GradeRequest, context: FlowContext): Promise<GradeEnd> {
  const { spec, stored } = request
  const one = findPlanCase(request)
  const { grading } = stored
  const isComplete = isCompleteGrading(grading, expectedGradingKey(request))
  if (!request.again && isComplete && !isOverruled(grading)) {
    context.emit(toGradeFinishedEvent(spec, grading))
    return { end: 'there', grading }
  }
  if ((await request.isWhole?.()) === false) return { end: 'nothing' }
  if (readRemoved(runPaths(request.folder, spec.run_id).folder) !== null) {
    if (grading === null) return { end: 'nothing' }
    context.emit(toGradeFinishedEvent(spec, grading))
    return { end: 'there', grading } // without transcript and outputs everything would fail
  }
  const isJudged = request.plan.options.judge !== null && one.expectations.length > 0
  if (isJudged && stored.record.status === 'completed')
    context.emit({ type: 'run_step', ...runName(spec), doing: gradingStep })
  const graded = await computeGrading(request, context)
  if (graded === null) return { end: 'nothing' }
  const { grading: made } = graded
  const isSame = request.keeps === true || grading?.graded_key === made.graded_key
  if (isSame && isWorthKeeping(grading, made)) {
    context.emit(toGradeFinishedEvent(spec, made))
    return { end: 'kept', grading, made }
  }
  // text checks take too little time for a timing file
  const times = startsProcesses(one, request.plan.options.judge) ? graded : null
  const run = {
    benchmark: request.folder,
    runId: spec.run_id,
    signer: request.isForeign ? null : findSigner(context.env),
  }
  await writeGrading(run, made, times)
  if (request.cache !== null)
    await cacheNewGrading(request.cache, { case: one, spec, record: stored.record, grading: made })
  context.emit(toGradeFinishedEvent(spec, made))
  return { end: 'made', grading: made }
}

/** The `graded_key` that this grading would have. */
function expectedGradingKey({ plan, spec }: Pick<GradeRequest, 'plan' | 'spec'>): string {
  return computeGradingKey(plan, findPlanCase({ plan, spec }), spec.key)
}

/** Whether the grading has this key, some verdict and no judge error. */
function isCompleteGrading(grading: Grading | null | undefined, key: string): grading is Grading {
  return grading?.graded_key === key && grading.expectations.length > 0 && (grading.judge_errors ?? []).length === 0
}

function findPlanCase({ plan, spec }: Pick<GradeRequest, 'plan' | 'spec'>): Plan['cases'][number] {
  const one = plan.cases.find((each) => each.eval_id === spec.eval_id)
  if (one === undefined) throw new Error(`plan has no case ${spec.eval_id}`)
  return one
}

/** Grades without writing; the result contains no credentials. null: nothing to grade. */
export async function computeGrading(request: GradeRequest, context: FlowContext): Promise<TimedGrading | null> {
  const { plan, spec, stored } = request
  const one = findPlanCase(request)
  const choice = plan.options.judge
  const onTimeout = plan.options.on_timeout
  await using tempDir = startsProcesses(one, choice) ? await openTempDir() : null
  const user = context.env
  const env = buildRunEnvironment({
    user,
    home: tempDir?.path ?? missingFolder,
    mark: tempDir?.mark ?? '',
    passEnv: request.passEnv,
    hidden: request.hidden,
  })
  const engine = choice === null ? null : withUserPrices(findEngine(choice.name), context.prices)
  const own = tempDir === null ? [] : [tempDir.path]
  const parts = { hidden: request.hidden, settings: spec.sandbox }
  const sandboxFor = (writable: readonly string[]) => confine(request.sandbox, { writable, ...parts })
  const checks = openCheckSurroundings(env, spec.environment, {
    folder: tempDir?.path ?? missingFolder,
    trust: request.sandbox,
  })
  const paths = runPaths(request.folder, spec.run_id)
  using work = request.pace.begin()
  const graded = await gradeRun({
    case: one,
    record: stored.record,
    runFolder: paths.folder,
    skill: describeArmSkill(spec),
    judge: engine && choice && toJudgeChoice(request.batch?.engine ?? engine, choice),
    onTimeout,
    fastFail: plan.options.fast_fail,
    samples: plan.options.judge_samples,
    requireEvidence: plan.options.require_evidence,
    restore: async (target, state) => {
      await checks.install()
      const sandbox = confine(request.sandbox, { writable: [target, ...own], ...parts, phase: 'setup' })
      const place = { cwd: target, env, setupEnv: checks.env, sandbox }
      const record = state === 'end' ? stored.record : withoutOutputs(stored.record)
      await restoreWorkspace(buildRestoreRequest(request, place, context), record, paths.outputs)
    },
    sandboxFor,
    env: { ...env, TMPDIR: tempDir?.path ?? missingFolder },
    checkEnv: { ...checks.env, TMPDIR: tempDir?.path ?? missingFolder },
    credentials: engine === null ? {} : selectCredentials(engine, choice, user),
    gate: engine === null ? undefined : work.gate(engine, choice),
    fallbacks: await resolveFallbackJudges(one, { plan, spec, work }, context),
    signal: request.batch ? AbortSignal.any([context.signal, request.batch.signal]) : context.signal,
    memory: request.cache && redactMemory(createJudgeMemory(request.cache, spec, stored.record), getRedactor(user)),
  })
  return graded && getRedactor(user).value(graded)
}

async function resolveFallbackJudges(
  one: Plan['cases'][number],
  { plan, spec, work }: Pick<GradeRequest, 'plan' | 'spec'> & { work: RateLimitedWork },
  { env, prices }: Pick<FlowContext, 'env' | 'prices'>,
): Promise<JudgeAccess[] | undefined> {
  const { listFallbackJudges } = await loadFormatSteps(plan.suite.format)
  const choices = await listFallbackJudges?.([one], { agent: spec.engine, chosen: plan.options.judge }, env)
  return choices?.map((choice) => {
    const engine = withUserPrices(findEngine(choice.name), prices)
    const credentials = selectCredentials(engine, choice, env)
    return { judge: toJudgeChoice(engine, choice), credentials, gate: work.gate(engine, choice) }
  })
}

/** Removes credentials from the judge's cached answers too. */
function redactMemory(memory: JudgeMemory | null, redactor: Redactor): JudgeMemory | null {
  return memory && { ...memory, keep: (prompt, made) => memory.keep(prompt, redactor.value(made)) }
}

/** A grading that starts no process needs no temp directory. */
function startsProcesses(one: Plan['cases'][number], judge: Plan['options']['judge']): boolean {
  return (judge !== null && one.expectations.length > 0) || one.checks.some((check) => checkStartsProcesses(check, one))
}

/** A run without the skill still names the one it lacks. */
function describeArmSkill({ skill, absent_skill }: RunSpec): { name: string; installed: boolean } | null {
  if (skill !== null) return { name: skill.name, installed: true }
  return absent_skill === null ? null : { name: absent_skill, installed: false }
}

/** Does not exist, so a process started despite that rule fails at once. */
const missingFolder = '/nonexistent'

function buildRestoreRequest(
  request: GradeRequest,
  place: Pick<WorkspaceRequest, 'cwd' | 'env' | 'setupEnv' | 'sandbox'>,
  context: FlowContext,
) {
  const { spec } = request
  const skillsFolders = listSkillsFolders(findEngine(spec.engine.name), spec.engine)
  return { ...place, files: spec.files, git: spec.git, setup: spec.setup, skillsFolders, signal: context.signal }
}

export interface GradeRequest {
  plan: Plan
  folder: string
  spec: RunSpec
  stored: StoredRun
  passEnv: readonly string[]
  hidden: readonly string[]
  sandbox: SandboxChoice
  /** Grade even if the same grading exists. */
  again: boolean
  /** null: reuse and store nothing. */
  cache: JudgeCache | null
  pace: AccountLimiters
  /** Answers of the judge come in batches; absent or null: at once. */
  batch?: JudgeBatch | null
  /** True: the criteria match the existing grading, which any failed judge leaves in place. Absent: only the same key does. */
  keeps?: boolean
  /** True: the run on disk is not as this user signed it, so its grading gets no signature. Absent: it is. */
  isForeign?: boolean
  /** Checks that the run's data is complete, before grading; absent: it is known to be. */
  isWhole?: () => Promise<boolean>
}

/** Whether a stored run may be graded; immediate if its grading exists. */
export async function admitGrading(
  limited: LimitedBench | null,
  spec: RunSpec,
  { grading }: StoredRun,
): Promise<boolean> {
  const isFinal = grading !== null && (grading.judge_errors ?? []).length === 0 && !isOverruled(grading)
  if (limited === null || isFinal) return true
  return await limited.spending.admit(spec, ['grading'])
}

/** Grades until the deadline, and counts the cost. */
export async function gradeUnderLimits(
  limited: LimitedBench | null,
  request: GradeRequest,
  context: FlowContext,
): Promise<void> {
  if (limited === null) {
    await gradeStoredRun(request, context)
    return
  }
  let grading: Grading | null = null
  try {
    const signal = AbortSignal.any([context.signal, limited.deadline])
    const end = await gradeStoredRun(request, { ...context, signal })
    if (end.end === 'made') grading = end.grading
    if (end.end === 'kept') grading = end.made
  } finally {
    limited.spending.graded(request.spec, grading, request.stored.record)
  }
}

/** Adds missing gradings up to `times`; replaces those by another judge or under other criteria. */
export async function gradeRepeatedly(request: GradeRequest, times: number, context: FlowContext): Promise<void> {
  const { folder, spec, stored } = request
  if (times === 0 || stored.record.status !== 'completed') return // other runs always get the same grading
  const key = expectedGradingKey(request)
  if (!isCompleteGrading(stored.grading, key)) return // there is no complete grading to repeat
  const known = readRepeatGradings(folder, spec.run_id)
  for (let n = 1; n <= times; n += 1) {
    if (context.drain.aborted) return
    if (isCompleteGrading(known.get(n), key)) continue
    const graded = await computeGrading(request, context)
    if (graded === null) return
    const again = { file: runPaths(folder, spec.run_id).again(n), as: signedAsGrading(folder, spec.run_id) }
    if (request.isForeign) await writeArtefact(gradingSchema, again.file, graded.grading)
    else await writeSigned(gradingSchema, again, { value: graded.grading, signer: findSigner(context.env) })
    context.emit({ ...toGradeFinishedEvent(spec, graded.grading), again: n })
  }
}
