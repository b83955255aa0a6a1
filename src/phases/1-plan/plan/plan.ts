/** Builds the plan from suite × configurations × runs. Pure: the same input gives the same plan. */
import type { Configuration, Plan, PlanOptions, RunSpec } from '../../../../schemas/plan.ts'
import type { ChosenCases, Environment, LoadWarning, Skill, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { findEngine } from '../../../engines/table.ts'
import { computePlanId, computeRunKey } from '../keys/plan_keys.ts'
import { slug } from '../skill/slug.ts'
import { planConversation } from './plan_conversation.ts'

export interface PlanRequest {
  suite: Suite
  skill: Skill
  /** An older version for the other configuration; null: the other configuration has no skill. */
  baseline: Skill | null
  /** Compares the baseline with itself: no configuration has the skill in question. */
  calibrate?: boolean
  /** Other skills in both configurations; absent: none. */
  neighbours?: readonly Skill[]
  /** What the candidate has besides the skill; absent: nothing. */
  addition?: Addition | null
  options: PlanOptions
  /** Absent: all cases of the suite. */
  chosen?: ChosenCases | undefined
  /** Why the baseline is not simply what the user named; absent: it is. */
  baselineNote?: string | null
  /** ISO 8601, UTC. */
  createdAt: string
  suiteSha256: string
  warnings?: readonly LoadWarning[]
}

/** The environment of a case, with what a configuration adds; null: it adds only skills. Throws UserError where both have a part of one name. */
type ExtendEnvironment = (own: Environment | undefined) => Environment

/** The rest of a plugin, or other skills, and the configuration that the skill with them is compared with. */
export interface Addition {
  configuration: 'whole_plugin' | 'with_neighbours'
  against: 'without_skill' | 'skill_alone'
  skills: readonly Skill[]
  extend: ExtendEnvironment | null
}

interface Arm {
  configuration: Configuration
  skill: Skill | null
  /** Added to its run numbers, so that equal runs of both configurations differ by number. */
  after: number
  /** Other skills next to it; absent: none. */
  among?: readonly Skill[]
  /** Of each case; absent: as it is. */
  extend?: ExtendEnvironment | null
}

/** Plans every run; cases that cannot run stay in the plan without runs. Throws UserError if none can run. */
export function makePlan(request: PlanRequest): Plan {
  const { suite, skill, baseline, options } = request
  assertRunnableCase(suite)
  const [candidate, other] = buildPlanArms(request)
  const runs = buildPlanRuns(request, [candidate, other])
  return {
    schema_version: 1,
    plan_id: computePlanId(runs, options),
    created_at: request.createdAt,
    suite: { path: suite.path, format: suite.format, sha256: request.suiteSha256 },
    skill,
    baseline,
    ...(request.baselineNote && { baseline_note: request.baselineNote }),
    candidate_configuration: candidate.configuration,
    baseline_configuration: other.configuration,
    options,
    cases: suite.cases,
    ...(request.chosen && { chosen: request.chosen }),
    runs,
    warnings: [...suite.warnings, ...(request.warnings ?? [])],
    calls: countCalls(runs, suite.cases, options),
  }
}

/** The plan with a version of the skill of its own for each run. `choose`: the version of a run; null: the run is left out. */
export function assignVersions(plan: Plan, choose: (run: RunSpec) => Skill | null, stopAt?: RunSpec['stop_at']): Plan {
  const runs = plan.runs.flatMap(({ key: _, ...run }) => {
    const skill = choose({ ...run, key: '' })
    if (skill === null) return []
    const spec = { ...run, skill, ...(stopAt && { stop_at: stopAt }) }
    return [{ ...spec, key: computeRunKey(spec) }]
  })
  const { cases, options } = plan
  return { ...plan, runs, plan_id: computePlanId(runs, options), calls: countCalls(runs, cases, options) }
}

/** Runs and gradings of a plan; each grading counts once per sample of the judge. */
export function countCalls(runs: readonly RunSpec[], cases: readonly SuiteCase[], options: PlanOptions): Plan['calls'] {
  const judged = new Set(cases.filter((one) => one.expectations.length > 0).map((one) => one.eval_id))
  const samples = options.judge === null ? 0 : (options.judge_samples ?? 1)
  return { agent_runs: runs.length, judge_calls: runs.filter((run) => judged.has(run.eval_id)).length * samples }
}

function assertRunnableCase(suite: Suite): void {
  const runnable = suite.cases.filter((one) => one.cannot_run === null)
  if (runnable.some(({ quarantine }) => quarantine === undefined)) return
  if (runnable.length > 0)
    throw new UserError(
      `${suite.path}: every case that would run is in quarantine, so nothing would count`,
      'choose others with --case, or delete "quarantine" from one',
    )
  const reasons = suite.cases.map((one) => `${one.eval_id} ${one.eval_name}: ${one.cannot_run}`)
  throw new UserError(
    `${suite.path}: no case can run (${reasons.join('; ') || 'the suite has none'})`,
    'fix one of them, or choose others with --case',
  )
}

function buildPlanArms(request: PlanRequest): [Arm, Arm] {
  const { skill, addition = null, neighbours: among = [] } = request
  if (addition === null) {
    const [candidate, other] = buildSkillArms(request)
    return [
      { ...candidate, among },
      { ...other, among },
    ]
  }
  const { configuration, against, extend } = addition
  const own = { configuration, skill, after: 0, among: [...among, ...addition.skills], extend }
  return [own, { configuration: against, skill: against === 'without_skill' ? null : skill, after: 0, among }]
}

function buildSkillArms({ skill, baseline, calibrate, options }: PlanRequest): [Arm, Arm] {
  const other = baseline === null ? ('without_skill' as const) : ('old_skill' as const)
  const second: Arm = { configuration: other, skill: baseline, after: 0 }
  if (calibrate === true) return [{ ...second, configuration: `${other}_again`, after: options.runs }, second]
  return [{ configuration: baseline === null ? 'with_skill' : 'new_skill', skill, after: 0 }, second]
}

/** Runs outermost, configurations innermost: each case gets a pair early, and drift over time affects both configurations. */
function buildPlanRuns(request: PlanRequest, arms: readonly Arm[]): RunSpec[] {
  const runnable = request.suite.cases.filter((one) => one.cannot_run === null)
  const numbers = Array.from({ length: request.options.runs }, (_, index) => index + 1)
  const isDrawn = request.options.until !== undefined
  return numbers.flatMap((number) =>
    runnable.flatMap((one) => {
      const pair = arms.map((arm) => buildArmRun(request, { one, arm, number }))
      return isDrawn ? drawArmOrder(pair) : pair
    }),
  )
}

/** Randomises which configuration starts first by a hash of both runs, so that the same plan gives the same order. */
function drawArmOrder(pair: RunSpec[]): RunSpec[] {
  const lot = sha256(canonicalJson(pair.map(({ run_id, key }) => [run_id, key])))
  return Number.parseInt(lot.slice(0, 1), 16) < 8 ? pair : pair.reverse()
}

function buildArmRun(request: PlanRequest, place: { one: SuiteCase; arm: Arm; number: number }): RunSpec {
  const { skill, suite, options } = request
  const { one, arm } = place
  const absent = arm.skill === null ? skill.name : null
  return buildRunSpec({ one, arm, number: arm.after + place.number, absent }, suite, options)
}

export interface RunSpecRequest {
  one: SuiteCase
  arm: Omit<Arm, 'after'>
  number: number
  /** Name of the skill that must not be visible. */
  absent: string | null
  /** Begins the name of the case's folder; absent: eval. */
  prefix?: string
  stopAt?: RunSpec['stop_at']
}

/** Builds one run with everything needed to execute it, and its key. */
export function buildRunSpec(
  { one, arm, number, absent, prefix = 'eval', stopAt }: RunSpecRequest,
  suite: Pick<Suite, 'sandbox'>,
  options: PlanOptions,
): RunSpec {
  const environment = arm.extend ? arm.extend(one.environment) : one.environment
  const skills = armSkills({ one, arm, absent })
  const spec: Omit<RunSpec, 'key'> = {
    run_id: `${caseFolder(one, prefix)}/${arm.configuration}/run-${number}`,
    eval_id: one.eval_id,
    eval_name: one.eval_name,
    configuration: arm.configuration,
    run_number: number,
    prompt: withAttachedNames(buildRunPrompt(one, skills.skill, options), one),
    ...planConversation(one, options),
    files: one.files,
    ...(one.attach && { attach: one.attach }),
    setup: one.setup,
    ...(one.teardown !== undefined && { teardown: one.teardown }),
    ...(one.collect && { collect: one.collect }),
    git: one.git,
    ...(environment && { environment }),
    ...(one.harbor && { harbor: one.harbor }),
    ...skills,
    ...(stopAt && { stop_at: stopAt }),
    ...(suite.sandbox && { sandbox: suite.sandbox }),
    engine: options.engine,
    max_turns: options.max_turns,
    timeout_seconds: one.timeout_seconds ?? options.timeout_seconds,
    activation: options.activation,
  }
  return { ...spec, key: computeRunKey(spec) }
}

/** A Harbor task that brings its skills gets those; the plan's skill then stands for the skills of all tasks. */
function armSkills({
  one,
  arm,
  absent,
}: Pick<RunSpecRequest, 'one' | 'arm' | 'absent'>): Pick<RunSpec, 'skill' | 'absent_skill' | 'among'> {
  const [first, ...others] = one.harbor?.skills ?? []
  if (first === undefined) {
    const { skill, among = [] } = arm
    return { skill, absent_skill: absent, ...(among.length > 0 && { among: [...among] }) }
  }
  if (arm.skill === null) return { skill: null, absent_skill: first.name }
  return { skill: first, absent_skill: null, ...(others.length > 0 && { among: others }) }
}

function caseFolder(one: SuiteCase, prefix: string): string {
  return [prefix, one.eval_id, slug(one.eval_name)].filter((part) => part !== '').join('-')
}

function buildRunPrompt(one: SuiteCase, skill: Skill | null, { activation, engine }: PlanOptions): string {
  if (skill === null || activation !== 'instructed') return one.prompt
  const start = skill.user_only && engine.name !== 'auto' ? findEngine(engine.name).userOnlySkills?.start : null
  return start ? `${start(skill.name)} ${one.prompt}` : `Use the skill ${skill.name} for this task.\n\n${one.prompt}`
}

/** The same line on every engine and in every configuration, whether or not the model sees the images. */
function withAttachedNames(prompt: string, { attach = [] }: SuiteCase): string {
  if (attach.length === 0) return prompt
  return `${prompt}\n\nAttached files: ${attach.map(({ path }) => path).join(', ')}`
}
