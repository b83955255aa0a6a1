/** Grades one run that is on disk, unless the same grading is there already. */
import type { Grading } from '../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import { type Redactor, redactorFor } from '../base/redact.ts'
import { openRoom } from '../base/room.ts'
import type { SandboxChoice } from '../base/sandbox/choose.ts'
import type { Sandbox } from '../base/sandbox/policy.ts'
import { credentialsOf } from '../engines/base_url.ts'
import { engineNamed } from '../engines/table.ts'
import { confine } from '../phases/2-run/confine.ts'
import { runEnvironment } from '../phases/2-run/environment.ts'
import { restoreWorkspace } from '../phases/2-run/restore.ts'
import { needsPlace } from '../phases/3-judge/checks/working_folder.ts'
import { type Graded, gradeRun } from '../phases/3-judge/grade.ts'
import type { JudgeMemory } from '../phases/3-judge/judge.ts'
import { runPaths } from '../store/paths.ts'
import { type StoredRun, writeGrading } from '../store/store.ts'
import { judgeMemory, keepGraded } from './cached_grading.ts'
import type { FlowContext } from './context.ts'
import { fallbackJudges } from './eval/fallback_judges.ts'
import { isWorthKeeping } from './kept_grading.ts'
import { keyOfGrading } from './key_of_grading.ts'
import type { Pace } from './pace.ts'
import type { JudgeCache } from './run_cache.ts'
import { gradeFinished } from './run_events.ts'

export interface GradeRequest {
  plan: Plan
  folder: string
  spec: RunSpec
  stored: StoredRun
  passEnv: readonly string[]
  hidden: readonly string[]
  sandbox: SandboxChoice
  /** Grade even where the same grading is there. */
  again: boolean
  /** null: nothing is reused or kept. */
  cache: JudgeCache | null
  pace: Pace
  /** The criteria are those of its grading, which stays where the judge decides nothing now, whoever made it; absent: only one under the same key stays. */
  keeps?: boolean
  /** Whether what is to be graded is whole, asked before it is; absent: it is known to be. */
  isWhole?: () => Promise<boolean>
}

/** `there`: the same was graded before. `kept`: the judge decided nothing now, so the earlier grading stays; `made` says why. */
type GradeEnd =
  | { end: 'made' | 'there'; grading: Grading }
  | { end: 'kept'; grading: Grading; made: Grading }
  | { end: 'nothing' }

/** Writes grading.json where the run can be graded and nothing better is lost by that. */
export async function gradeStored(request: GradeRequest, context: FlowContext): Promise<GradeEnd> {
  const { spec, stored } = request
  const one = caseOf(request)
  const { grading } = stored
  if (!request.again && grading !== null && isWholly(grading, keyOf(request))) {
    context.emit(gradeFinished(spec, grading))
    return { end: 'there', grading }
  }
  if ((await request.isWhole?.()) === false) return { end: 'nothing' }
  const graded = await gradeAnew(request, context)
  if (graded === null) return { end: 'nothing' }
  const { grading: made } = graded
  const isSame = request.keeps === true || grading?.graded_key === made.graded_key
  if (isSame && isWorthKeeping(grading, made)) {
    context.emit(gradeFinished(spec, made))
    return { end: 'kept', grading, made }
  }
  // what is decided by looking at texts takes no time that would be worth another file
  const times = startsProcesses(one, request.plan.options.judge) ? graded : null
  await writeGrading(request.folder, spec.run_id, made, times)
  if (request.cache !== null) await keepGraded(request.cache, { case: one, spec, record: stored.record, grading: made })
  context.emit(gradeFinished(spec, made))
  return { end: 'made', grading: made }
}

/** What the same grading would have as its `graded_key`. */
export function keyOf({ plan, spec }: Pick<GradeRequest, 'plan' | 'spec'>): string {
  return keyOfGrading(plan, caseOf({ plan, spec }), spec.key)
}

/** Whether this is that grading, and everything in it was decided. */
export function isWholly(grading: Grading | null | undefined, key: string): grading is Grading {
  return grading?.graded_key === key && (grading.judge_errors ?? []).length === 0
}

function caseOf({ plan, spec }: Pick<GradeRequest, 'plan' | 'spec'>): Plan['cases'][number] {
  const one = plan.cases.find((each) => each.eval_id === spec.eval_id)
  if (one === undefined) throw new Error(`plan has no case ${spec.eval_id}`)
  return one
}

/** Grades and writes nothing; without credentials. null: there is nothing to grade. */
export async function gradeAnew(request: GradeRequest, context: FlowContext): Promise<Graded | null> {
  const { plan, spec, stored } = request
  const one = caseOf(request)
  const choice = plan.options.judge
  const onTimeout = plan.options.on_timeout
  await using room = startsProcesses(one, choice) ? await openRoom() : null
  const user = context.env
  const env = runEnvironment({
    user,
    home: room?.path ?? nowhere,
    mark: room?.mark ?? '',
    passEnv: request.passEnv,
    hidden: request.hidden,
  })
  const engine = choice === null ? null : engineNamed(choice.name)
  const own = room === null ? [] : [room.path]
  const sandboxFor = (writable: readonly string[]) =>
    confine(request.sandbox, { writable, hidden: request.hidden, settings: spec.sandbox })
  const paths = runPaths(request.folder, spec.run_id)
  const graded = await gradeRun({
    case: one,
    record: stored.record,
    runFolder: paths.folder,
    skill: skillOf(spec),
    judge: engine && {
      engine,
      model: choice?.model ?? null,
      command: choice?.command ?? null,
      baseUrl: choice?.base_url,
    },
    onTimeout,
    fastFail: plan.options.fast_fail,
    samples: plan.options.judge_samples,
    requireEvidence: plan.options.require_evidence,
    restore: (target) =>
      restoreWorkspace(
        startOf(request, { cwd: target, env, sandbox: sandboxFor([target, ...own]) }, context),
        stored.record,
        paths.outputs,
      ),
    sandboxFor,
    env: { ...env, TMPDIR: room?.path ?? nowhere },
    credentials: engine === null ? {} : credentialsOf(engine, choice, user),
    gate: engine === null ? undefined : request.pace.gate(engine, choice),
    ...(one.judging?.kind === 'golden' && { fallbacks: await fallbackJudges(one.judging.golden, request, context) }),
    signal: context.signal,
    memory: request.cache && cleaned(judgeMemory(request.cache, spec, stored.record), redactorFor(user)),
  })
  return graded && redactorFor(user).value(graded)
}

/** What is remembered of a judge is kept without credentials too. */
function cleaned(memory: JudgeMemory | null, redactor: Redactor): JudgeMemory | null {
  return memory && { ...memory, keep: (prompt, made) => memory.keep(prompt, redactor.value(made)) }
}

/** Where nothing is started nothing needs a place, and making one costs more than most gradings. */
function startsProcesses(one: Plan['cases'][number], judge: Plan['options']['judge']): boolean {
  return (judge !== null && one.expectations.length > 0) || one.checks.some((check) => needsPlace(check, one))
}

/** The arm without the skill knows which it lacks. */
function skillOf({ skill, absent_skill }: RunSpec): { name: string; installed: boolean } | null {
  if (skill !== null) return { name: skill.name, installed: true }
  return absent_skill === null ? null : { name: absent_skill, installed: false }
}

/** A folder that is not there, so that a process started against the rule above fails at once. */
const nowhere = '/nonexistent'

function startOf(
  request: GradeRequest,
  place: { cwd: string; env: Record<string, string>; sandbox: Sandbox | null },
  context: FlowContext,
) {
  const { spec } = request
  const { skillsFolder } = engineNamed(spec.engine.name)
  return { ...place, files: spec.files, git: spec.git, setup: spec.setup, skillsFolder, signal: context.signal }
}
