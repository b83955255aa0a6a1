/** Turns a request into a plan: skill, baseline, suite, cases, engine and judge. Starts and costs nothing. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Activation, EngineChoice, Plan } from '../../../schemas/plan.ts'
import type { LoadWarning, Skill, Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { describeMissingPath } from '../../base/fs/dead_link.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { withBaseUrl } from '../../engines/models/base_url.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { requireValidBenchSuite } from '../../phases/1-plan/check/invalid_suite.ts'
import { makePlan } from '../../phases/1-plan/plan/plan.ts'
import { exportGitVersion, readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { adaptSuiteToBench } from '../../phases/1-plan/suite/adapt_for_bench.ts'
import { hashSuite, inspectSuite, isSuiteFile } from '../../phases/1-plan/suite/load_suite.ts'
import { assertNoOpenNetwork } from '../../phases/1-plan/suite/open_network.ts'
import { describeChosenCases, selectInspected } from '../../phases/1-plan/suite/select_cases.ts'
import { applyTimeout, usualTimeout } from '../../phases/1-plan/suite/timeouts.ts'
import type { FlowContext } from '../flow_context.ts'
import type { SharedBudgets } from '../limits/budgets.ts'
import type { Limits } from '../limits/limits.ts'
import type { RateLimitOptions } from '../limits/rate_limiters.ts'
import { type AutoEngine, createAutoEngine } from './choose_engine.ts'
import { requireValidSuite } from './engine_support.ts'
import { refuseInlineCredentials } from './inline_credentials.ts'
import { type JudgingWish, resolveJudgingOptions } from './judge_settings.ts'
import type { QueueWish } from './queue_options.ts'
import type { OnRefusal } from './refusals.ts'
import { keepSuiteModel, resolveSuiteModel } from './suite_model.ts'

/** Questions to --dry-run about the number of runs. */
export interface DesignWish {
  /** null: 0.8. */
  power: number | null
  /** The difference to detect; null: none requested. */
  detect: number | null
}

export interface BenchRequest {
  /** The skill's folder. */
  skill: string
  /** A suite file; null: found in the skill's folder. */
  suite: string | null
  /** The folder of the suite's input files; absent: the skill's. */
  suiteRoot?: string
  /** An older version: a folder, or git:<ref>; null: the baseline has no skill. */
  baseline: string | null
  cases: readonly string[]
  /** name[:model] or auto. */
  engine: string
  /** null: the suite's model with auto, else the engine's default. */
  model: string | null
  /** The URL of the engine's server, also for a judge on the same engine; null: the environment's. */
  baseUrl?: string | null
  /** engine[:model]; null: chosen automatically. */
  judge: string | null
  /** Judge settings; absent: one sample, and passes in doubt are flagged. */
  judging?: JudgingWish
  runs: number
  /** Stop when conclusive: `runs` is the maximum. Absent or null: run all. */
  until?: 'decided' | null
  /** Questions to --dry-run about the number of runs. */
  design?: DesignWish
  concurrency: number
  /** null: the case's, else 300 s. */
  timeoutSeconds: number | null
  maxTurns: number | null
  retries: number
  activation: Activation
  onTimeout: 'fail' | 'exclude'
  /** null: ./workspaces/<skill_name>. */
  workspace: string | null
  /** Start a new benchmark even if an unfinished one of the same plan exists. */
  fresh: boolean
  /** Leave out cases that break a rule of `check` and run the others; absent: they prevent the start. */
  allowInvalid?: boolean
  /** Whether to read and store runs in the workspace's cache. */
  cache: boolean
  /** How much older than the runs they are compared with reused runs may be, in milliseconds; absent: a day. */
  baselineAgeMs?: number
  passEnv: readonly string[]
  /** Budget and deadline; absent: none. */
  limits?: Limits
  /** What the limits leave, if several benchmarks share them; absent: this benchmark has its own. */
  budgets?: SharedBudgets
  /** Compare the baseline with itself, to measure the suite's noise; absent: with the skill. */
  calibrate?: boolean
  /** Absent: rate limits are detected automatically. */
  pace?: RateLimitOptions | undefined
  /** Absent or null: auto, with the suite's network setting. */
  sandbox?: SandboxWish | null
  /** Absent or null: runs execute on this machine. */
  queue?: QueueWish | null
}

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
  const folder = path.resolve(request.skill)
  const { skill, warnings } = await readSkill(await resolveSkillFolder(folder))
  const baseline = await resolveBaseline(request.baseline, skill, where.scratch)
  const place = request.suite === null ? skill.path : path.resolve(request.suite)
  const inspected = await inspectSuite(place, request.suiteRoot ?? skill.path)
  assertNoOpenNetwork(inspected.suite.path, inspected.suite.sandbox, request.sandbox)
  const whole = adaptSuiteToBench(applyTimeout(request.timeoutSeconds, inspected.suite))
  const wish = { skillName: skill.name, allowInvalid: request.allowInvalid ?? false }
  const suite = requireValidBenchSuite(selectInspected({ ...inspected, suite: whole }, request.cases), wish)
  const { engine, judge, choices } = await chooseEngines(request, suite, createAutoEngine(context, where.refuse))
  refuseInlineCredentials({ choices: [engine, judge], suite, env: context.env })
  const plan = makePlan({
    suite: await requireValidSuite(engine, withSkillName(suite, skill), wish.allowInvalid),
    skill,
    baseline: baseline?.skill ?? null,
    calibrate: request.calibrate ?? false,
    options: {
      engine,
      judge,
      runs: request.runs,
      ...(request.until && { until: request.until }),
      timeout_seconds: request.timeoutSeconds ?? usualTimeout,
      max_turns: request.maxTurns,
      activation: request.activation,
      on_timeout: request.onTimeout,
      retries: request.retries,
      ...resolveJudgingOptions(request.judging),
    },
    chosen: describeChosenCases(whole, suite),
    createdAt: context.now().toISOString(),
    suiteSha256: await hashSuite(suite),
    warnings: [...warnings, ...(baseline?.warnings ?? [])],
  })
  const folders = new Map([[skill.sha256, skill.path]])
  if (baseline !== null) folders.set(baseline.skill.sha256, baseline.folder)
  return { plan, folders, workspace: resolveSkillWorkspace(request, skill), choices }
}

export interface PrepareOptions {
  scratch: string
  refuse: OnRefusal
}

/** The skill's folder, also if the user names its SKILL.md. */
export async function resolveSkillFolder(given: string): Promise<string> {
  const info = await stat(given).catch(() => null)
  if (info === null)
    throw new UserError(
      `${given}: ${describeMissingPath(given, 'no such folder')}`,
      'give the folder that holds SKILL.md',
    )
  if (info.isDirectory()) return given
  if (path.basename(given) === 'SKILL.md') return path.dirname(given)
  const fix = 'give the folder that holds SKILL.md'
  throw new UserError(
    `${given}: a file, no skill's folder`,
    (await isSuiteFile(given)) ? `${fix}, and this file with --suite` : fix,
  )
}

/** The folder for a skill's results. */
export function resolveSkillWorkspace(request: Pick<BenchRequest, 'workspace'>, skill: Skill): string {
  return path.resolve(request.workspace ?? path.join('workspaces', skill.name))
}

function withSkillName(suite: Suite, skill: Skill): Suite {
  if (suite.skill_name === skill.name) return suite
  const message = `names the skill ${suite.skill_name}; SKILL.md says ${skill.name}, which is used`
  return {
    ...suite,
    skill_name: skill.name,
    warnings: [...suite.warnings, { file: suite.path, at: '$.skill_name', message }],
  }
}

async function resolveBaseline(
  text: string | null,
  skill: Skill,
  scratch: string,
): Promise<{ skill: Skill; warnings: LoadWarning[]; folder: string } | null> {
  if (text === null) return null
  if (!text.startsWith('git:')) {
    const folder = path.resolve(text)
    return { ...(await readSkill(folder)), folder }
  }
  const target = path.join(scratch, path.basename(skill.path))
  await exportGitVersion({ folder: skill.path, ref: text.slice('git:'.length), target })
  const { skill: exported, warnings } = await readSkill(target)
  return { skill: { ...exported, path: `${skill.path} at ${text}` }, warnings, folder: target }
}

async function chooseEngines(
  request: BenchRequest,
  suite: Suite,
  auto: AutoEngine,
): Promise<{ engine: EngineChoice; judge: EngineChoice | null; choices: string[] }> {
  const choices: string[] = []
  const ofSuite = request.model === null ? (suite.defaults?.model ?? null) : null
  const named =
    request.engine === 'auto' && ofSuite !== null
      ? resolveSuiteModel(ofSuite, suite.defaults?.model_file ?? suite.path)
      : resolveEngineChoice({
          engine: request.engine,
          model: request.model ?? keepSuiteModel(request.engine, ofSuite, choices),
        })
  const url = request.baseUrl ?? null
  const placed = withBaseUrl(named, url)
  const engine = placed.name === 'auto' ? await auto.choose(placed, 'engine', choices) : placed
  const needsJudge = suite.cases.some((one) => one.cannot_run === null && one.expectations.length > 0)
  if (!needsJudge) return { engine, judge: null, choices }
  const judge = await auto.judge(request.judge, engine, choices)
  return { engine, judge: judge.name === engine.name ? withBaseUrl(judge, url) : judge, choices }
}
