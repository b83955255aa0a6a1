/** Turns a request into a plan: skill, baseline, suite, cases, engine and judge. Starts and costs nothing. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Plan } from '../../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { missingPathError } from '../../base/fs/nearest_path.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { checkSkillFolder } from '../../phases/1-plan/check/check_skill_folder.ts'
import { type BenchSuiteRequest, loadBenchSuite } from '../../phases/1-plan/check/load_bench_suite.ts'
import { planRules } from '../../phases/1-plan/check/rules/plan_rules.ts'
import { makePlan } from '../../phases/1-plan/plan/plan.ts'
import { loadSkills } from '../../phases/1-plan/skill/frontmatter.ts'
import { exportGitVersion } from '../../phases/1-plan/skill/git_version.ts'
import { readNamedSkill, type SkillNaming } from '../../phases/1-plan/skill/read_skill.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'
import { usualTimeout } from '../../phases/1-plan/suite/adapt_for_bench.ts'
import { isSuiteFile } from '../../phases/1-plan/suite/load_suite.ts'
import type { SharedCacheWish } from '../../store/cache/cache.ts'
import { chooseWorkspace } from '../../store/choose_workspace.ts'
import type { ResultSigner } from '../../store/signing/signer.ts'
import { findDeadChecks } from '../dead_checks/find_dead_checks.ts'
import { useLiveServers } from '../environment/unsupported_environment.ts'
import type { FlowContext } from '../flow_context.ts'
import type { Limits, SharedBudgets } from '../limits/limits.ts'
import type { RateLimitOptions } from '../limits/rate_limiters.ts'
import { type AdditionWish, loadOtherSkills } from '../other_skills.ts'
import { type BackendWish, listTaskSkills, readTaskSubject } from '../sandbox/task_steps.ts'
import { type BenchEnginesRequest, chooseBenchEngines } from './bench_engines.ts'
import { createAutoEngine, type JudgingWish, resolveJudgingOptions } from './choose_engine.ts'
import { requireValidSuite } from './engine_support.ts'
import { refuseInlineCredentials } from './inline_credentials.ts'
import { placeCases } from './place_cases.ts'
import type { OnRefusal } from './preflight.ts'
import type { RemoteExecution } from './remote_execution.ts'
import { checkUserOnlySkill } from './user_only_skill.ts'

/** Questions to --dry-run about the number of runs. */
export interface DesignWish {
  /** null: 0.8. */
  power: number | null
  /** The difference to detect; null: none requested. */
  detect: number | null
}

export interface BenchRequest extends BenchSuiteRequest, BenchEnginesRequest {
  skill: string
  /** An older version: a folder, or git:<ref>; null: the baseline has no skill. */
  baseline: string | null
  /** Judge settings; absent: one sample, and passes in doubt are flagged. */
  judging?: JudgingWish
  /** Ask the judge through its provider's batch API; absent: directly. */
  judgeBatch?: boolean | undefined
  runs: number
  /** Stop when conclusive: `runs` is the maximum. Absent or null: run all. */
  until?: 'decided' | null
  /** A smaller difference of rates, from 0 to 1, counts as none; absent or null: 0.1. */
  margin?: number | null
  /** Questions to --dry-run about the number of runs. */
  design?: DesignWish
  concurrency: number
  maxTurns: number | null
  retries: number
  /** Start the suite's MCP servers even where they are recorded; absent: give the recorded answers. */
  liveMcp?: boolean | undefined
  onTimeout: 'fail' | 'exclude'
  /** Links that lead out of the skill; absent: those within its git repository are copied, others are refused. */
  links?: SkillLinks | undefined
  /** null: ./workspaces/<skill_name>. */
  workspace: string | null
  /** Start a new benchmark even if an unfinished one of the same plan exists. */
  fresh: boolean
  /** Whether to read and store runs in the workspace's cache. */
  cache: boolean
  /** Runs that other machines share; absent or null: none. Not used without the workspace's own cache. */
  sharedCache?: SharedCacheWish | null
  /** False: keep no transcript and no output of a graded run, and no cache; absent: keep them. */
  transcripts?: boolean | undefined
  /** How much older than the runs they are compared with reused runs may be, in milliseconds; absent: a day. */
  baselineAgeMs?: number
  passEnv: readonly string[]
  /** Budget and deadline; absent: none. */
  limits?: Limits
  /** What the limits leave, if several benchmarks share them; absent: this benchmark has its own. */
  budgets?: SharedBudgets
  /** The caller has checked skill and suite, and said what it found. */
  checked?: boolean
  /** Folders of other skills that both configurations have; absent: none. */
  among?: readonly string[]
  /**
   * What the candidate has besides the skill, and what it is compared with; null: nothing, next to comparisons that have; absent: nothing.
   */
  addition?: AdditionWish | null
  /** Takes over runs that are this one's too, and returns how many; absent: none are. */
  shareRuns?: (own: { folder: string; plan: Plan; signer: ResultSigner }) => Promise<number>
  /** Keys of runs that other benchmarks of the same command pay for; absent: none. For estimates. */
  paidElsewhere?: ReadonlySet<string>
  /** Compare the baseline with itself, to measure the suite's noise; absent: with the skill. */
  calibrate?: boolean
  /** Absent: rate limits are detected automatically. */
  pace?: RateLimitOptions | undefined
  /** Another flow's own choice of runs and of the versions that they have; absent: both configurations, all runs. */
  reshape?: ReshapePlan
  /** What SKILL.md lacks and the user says; absent: nothing. */
  naming?: SkillNaming | undefined
  /** Absent or null: auto, with the suite's network setting. */
  sandbox?: SandboxWish | null
  /** Where Harbor tasks run; absent: auto. */
  backend?: BackendWish
  /** Absent or null: runs execute on this machine. */
  remote?: RemoteExecution | null
}

/** Returns the plan to execute, and the folders of the versions that it adds, by sha256. */
type ReshapePlan = (plan: Plan) => { plan: Plan; folders: ReadonlyMap<string, string> }

export interface PreparedBench {
  plan: Plan
  /** The folder of each skill version, by its sha256. */
  folders: ReadonlyMap<string, string>
  workspace: string
  /** Why the engine and the judge were chosen, unless the user named them. */
  choices: string[]
}

/**
 * Reads everything and plans. `scratch` holds an exported baseline version; `refuse` is called if no engine is available. Throws
 * UserError, also for a suite whose runs could not count.
 */
export async function prepareBench(
  request: BenchRequest,
  context: FlowContext,
  where: PrepareOptions,
): Promise<PreparedBench> {
  const given = await resolveSkillFolder(path.resolve(request.skill))
  const tasks = await readTaskSubject(given)
  const inCopy = { links: request.links, naming: request.naming, target: `${where.scratch}-named` }
  const subject = tasks === null ? await readNamedSkill(given, inCopy) : { skill: tasks, folder: given, defects: [] }
  const { skill } = subject
  const { version: baseline, warnings, notes } = await resolveBaseline(request, skill, where.scratch)
  if (request.checked !== true) refuseSameVersions(request, baseline?.skill.sha256 === skill.sha256)
  const {
    suite: loaded,
    chosen,
    sha256,
  } = await loadBenchSuite(request, {
    ...skill,
    checked: request.checked === true || tasks !== null ? null : await checkSkillFolder(subject.folder, request.links),
    findOthers: async (selected) => await findDeadChecks(selected, context.signal),
  })
  const workspace = resolveSkillWorkspace(request, skill)
  const draft = { suite: loaded, root: skill.path, workspace, otherSkill: tasks === null, compares: true, request }
  const { suite, ...placed } = await placeCases({ ...draft, warnings: [], notes: [] }, context)
  const { engine, judge, user, activation, choices } = await chooseBenchEngines(
    request,
    suite,
    createAutoEngine(context, where.refuse),
  )
  refuseInlineCredentials({ choices: [engine, judge, user ?? null], suite, env: context.env })
  const others = await (await loadOtherSkills()).read(request, { skill, engine, isHarbor: tasks !== null })
  const said = [skill, ...(baseline === null ? [] : [baseline.skill])].flatMap((one) =>
    checkUserOnlySkill(one, engine, activation),
  )
  const versions = tasks === null ? [{ ...skill, path: subject.folder }] : listTaskSkills(suite.cases)
  const folders = new Map(versions.map((one) => [one.sha256, one.path]))
  if (baseline !== null) folders.set(baseline.skill.sha256, baseline.folder)
  const plan = makePlan({
    suite: await requireValidSuite(engine, request.liveMcp ? useLiveServers(suite) : suite, {
      allowInvalid: request.allowInvalid ?? false,
      prices: context.prices,
    }),
    skill,
    baseline: baseline?.skill ?? null,
    calibrate: request.calibrate ?? false,
    ...others.parts,
    options: {
      engine,
      judge,
      ...(user && { user }),
      runs: request.runs,
      ...(request.until && { until: request.until }),
      ...(request.margin && { margin: request.margin }),
      timeout_seconds: request.timeoutSeconds ?? usualTimeout,
      max_turns: request.maxTurns,
      activation,
      on_timeout: request.onTimeout,
      retries: request.retries,
      ...resolveJudgingOptions(request.judging),
    },
    chosen,
    createdAt: context.now().toISOString(),
    suiteSha256: sha256,
    warnings: [...subject.defects, ...placed.warnings, ...warnings, ...said, ...others.warnings],
    baselineNote: [...notes, ...subject.defects.map(({ message }) => message)].join('; ') || null,
  })
  for (const one of others.skills) folders.set(one.sha256, one.path)
  const reshaped = request.reshape?.(plan) ?? { plan, folders: [] }
  for (const [hash, folder] of reshaped.folders) folders.set(hash, folder)
  return {
    plan: await loadSkills(reshaped.plan, folders),
    folders,
    workspace,
    choices: [...placed.notes, ...choices, ...notes, ...others.notes],
  }
}

/** A version is what agents get, so a change of evals/ alone makes no other one. */
function refuseSameVersions({ calibrate, baseline }: BenchRequest, same: boolean): void {
  if (calibrate === true || !same) return
  const [what, older] = baseline?.startsWith('git:')
    ? ['the skill is unchanged since then', 'an older commit']
    : ['the skill is the same there', 'another version']
  throw new UserError(`--baseline ${baseline}: ${what}`, `edit the skill, or name ${older}`, planRules.sameVersions.id)
}

export interface PrepareOptions {
  scratch: string
  refuse: OnRefusal
}

/** The skill's folder, also if the user names its SKILL.md. */
export async function resolveSkillFolder(given: string): Promise<string> {
  const info = await stat(given).catch(() => null)
  if (info === null) throw missingPathError(given, 'folder', 'pass the folder that contains SKILL.md')
  if (info.isDirectory()) return given
  if (path.basename(given) === 'SKILL.md') return path.dirname(given)
  const fix = 'pass the folder that contains SKILL.md'
  throw new UserError(
    `${given}: a file, not a skill folder`,
    (await isSuiteFile(given)) ? `${fix}, and this file as --suite` : fix,
  )
}

/** The folder for a skill's results. */
export function resolveSkillWorkspace(request: Pick<BenchRequest, 'workspace'>, skill: Skill): string {
  return chooseWorkspace(request.workspace, skill.name)
}

interface Baseline {
  /** The older version; null: none, so that the baseline has no skill. */
  version: { skill: Skill; folder: string } | null
  warnings: LoadWarning[]
  /** What the user should know about the choice. */
  notes: string[]
}

async function resolveBaseline(
  { baseline: text, links, naming }: Pick<BenchRequest, 'baseline' | 'links' | 'naming'>,
  skill: Skill,
  scratch: string,
): Promise<Baseline> {
  if (text === null) return { version: null, warnings: [], notes: [] }
  if (!text.startsWith('git:')) {
    const folder = path.resolve(text)
    const older = await readNamedSkill(folder, { links, naming, target: `${scratch}-named-baseline` })
    return { version: older, warnings: older.warnings, notes: [] }
  }
  const folder = path.join(scratch, path.basename(skill.path))
  const { existed, notes } = await exportGitVersion({
    folder: skill.path,
    ref: text.slice('git:'.length),
    target: folder,
    links,
  })
  if (!existed) return { version: null, warnings: [], notes }
  const exported = await readNamedSkill(folder, { links, naming, target: `${scratch}-named-baseline` })
  const older = { ...exported.skill, path: `${skill.path} at ${text}` }
  return { version: { skill: older, folder: exported.folder }, warnings: exported.warnings, notes }
}
