/** From a request to a plan: skill, baseline, suite, cases, engine and judge. Starts nothing and pays nothing. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Activation, EngineChoice, Plan } from '../../schemas/plan.ts'
import type { LoadWarning, Skill, Suite } from '../../schemas/suite.ts'
import { absence } from '../base/dead_link.ts'
import { UserError } from '../base/error.ts'
import type { SandboxWish } from '../base/sandbox/choose.ts'
import { withBaseUrl } from '../engines/base_url.ts'
import { resolveEngineChoice } from '../engines/models.ts'
import { forBench } from '../phases/1-plan/for_bench.ts'
import { hashSuite, isSuiteFile, loadSuite } from '../phases/1-plan/load.ts'
import { makePlan } from '../phases/1-plan/plan.ts'
import { chosenOf, selectCases } from '../phases/1-plan/select.ts'
import { exportGitVersion, readSkill } from '../phases/1-plan/skill.ts'
import { timedBy, usualTimeout } from '../phases/1-plan/timeouts.ts'
import { type AutoEngine, autoEngine } from './auto_engine.ts'
import type { FlowContext } from './context.ts'
import { withDecidable } from './decidable.ts'
import type { DesignWish } from './detectable.ts'
import type { Execution } from './execute.ts'
import { withHonoured } from './honoured.ts'
import { type JudgingWish, withJudging } from './judging.ts'
import type { Limits } from './limits.ts'
import type { PaceOptions } from './pace.ts'
import type { Purses } from './purses.ts'
import type { QueueWish } from './queue/remote.ts'
import { refuseSpokenKeys } from './spoken_keys.ts'
import { modelKeptOn, modelOfSuite } from './suite_model.ts'

export type Perform = (execution: Execution, context: FlowContext) => Promise<Plan>

export interface BenchRequest {
  /** The skill's folder. */
  skill: string
  /** A suite file; null: found in the skill's folder. */
  suite: string | null
  /** Where the suite's input files are looked for; absent: in the skill. */
  suiteRoot?: string
  /** An older version: a folder, or git:<ref>; null: the other arm has no skill. */
  baseline: string | null
  cases: readonly string[]
  /** name[:model] or auto. */
  engine: string
  /** null: with auto as the suite says, else the engine's own. */
  model: string | null
  /** Where the server of the engine is, and of a judge on the same engine; null: where the environment says. */
  baseUrl?: string | null
  /** engine[:model]; null: chosen. */
  judge: string | null
  /** How the judge is asked; absent: once, and passes in doubt are flagged. */
  judging?: JudgingWish
  runs: number
  /** Stop when it is decided: `runs` are the most. Absent or null: all are made. */
  until?: 'decided' | null
  /** What --dry-run asks of the number of runs. */
  design?: DesignWish
  concurrency: number
  /** null: as a case says, else 300 s. */
  timeoutSeconds: number | null
  maxTurns: number | null
  retries: number
  activation: Activation
  onTimeout: 'fail' | 'exclude'
  /** null: ./workspaces/<skill_name> */
  workspace: string | null
  /** Start a new benchmark even where an unfinished one of the same plan lies. */
  fresh: boolean
  /** Whether runs are taken from the workspace's cache and kept there. */
  cache: boolean
  passEnv: readonly string[]
  /** Budget and deadline; absent: none. */
  limits?: Limits
  /** What the limits leave, where several benchmarks share them; absent: this benchmark has them for itself. */
  purses?: Purses
  /** The baseline against itself, for the suite's noise; absent: against the skill. */
  calibrate?: boolean
  /** Absent: the pace is found by trying. */
  pace?: PaceOptions | undefined
  /** Absent or null: auto, network as the suite says. */
  sandbox?: SandboxWish | null
  /** Absent or null: runs are made on this machine. */
  queue?: QueueWish | null
  /** Performs the plan in place of `execute`, and gives the part of it that was performed; absent: all of it is. */
  perform?: Perform
}

export interface Prepared {
  plan: Plan
  /** Where the files of each skill version lie now, by its sha256. */
  folders: ReadonlyMap<string, string>
  workspace: string
  /** Why the engine and the judge were chosen, where they were not named. */
  choices: string[]
}

/**
 * Reads everything and plans. `scratch` is a folder where an exported baseline version may lie; `lenient` plans even where
 * no engine can work. Throws UserError.
 */
export async function prepare(request: BenchRequest, context: FlowContext, where: Where): Promise<Prepared> {
  const folder = path.resolve(request.skill)
  const { skill, warnings } = await readSkill(await skillFolder(folder))
  const baseline = await baselineOf(request.baseline, skill, where.scratch)
  const place = request.suite === null ? skill.path : path.resolve(request.suite)
  const loaded = timedBy(request.timeoutSeconds, await loadSuite(place, request.suiteRoot ?? skill.path))
  const whole = forBench(loaded)
  const suite = selectCases(whole, request.cases)
  const { engine, judge, choices } = await chooseEngines(request, suite, autoEngine(context, where.lenient))
  refuseSpokenKeys({ choices: [engine, judge], suite, env: context.env })
  const plan = makePlan({
    suite: await withDecidable(withHonoured(await withSkillName(suite, skill), engine), engine),
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
      ...withJudging(request.judging),
    },
    chosen: chosenOf(whole, suite),
    createdAt: context.now().toISOString(),
    suiteSha256: await hashSuite(suite),
    warnings: [...warnings, ...(baseline?.warnings ?? [])],
  })
  const folders = new Map([[skill.sha256, skill.path]])
  if (baseline !== null) folders.set(baseline.skill.sha256, baseline.folder)
  return { plan, folders, workspace: workspaceOf(request, skill), choices }
}

export interface Where {
  scratch: string
  lenient: boolean
}

/** The folder that a user means: that of SKILL.md where it is named itself. */
export async function skillFolder(given: string): Promise<string> {
  const info = await stat(given).catch(() => null)
  if (info === null)
    throw new UserError(`${given}: ${absence(given, 'no such folder')}`, 'give the folder that holds SKILL.md')
  if (info.isDirectory()) return given
  if (path.basename(given) === 'SKILL.md') return path.dirname(given)
  const fix = 'give the folder that holds SKILL.md'
  throw new UserError(
    `${given}: a file, no skill's folder`,
    (await isSuiteFile(given)) ? `${fix}, and this file with --suite` : fix,
  )
}

/** Where the results of a skill go. */
export function workspaceOf(request: Pick<BenchRequest, 'workspace'>, skill: Skill): string {
  return path.resolve(request.workspace ?? path.join('workspaces', skill.name))
}

async function withSkillName(suite: Suite, skill: Skill): Promise<Suite> {
  if (suite.skill_name === skill.name) return suite
  const message = `names the skill ${suite.skill_name}; SKILL.md says ${skill.name}, which is used`
  return {
    ...suite,
    skill_name: skill.name,
    warnings: [...suite.warnings, { file: suite.path, at: '$.skill_name', message }],
  }
}

async function baselineOf(
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
      ? modelOfSuite(ofSuite, suite.defaults?.model_file ?? suite.path)
      : resolveEngineChoice({
          engine: request.engine,
          model: request.model ?? modelKeptOn(request.engine, ofSuite, choices),
        })
  const url = request.baseUrl ?? null
  const placed = withBaseUrl(named, url)
  const engine = placed.name === 'auto' ? await auto.choose(placed, 'engine', choices) : placed
  const needsJudge = suite.cases.some((one) => one.cannot_run === null && one.expectations.length > 0)
  if (!needsJudge) return { engine, judge: null, choices }
  const judge = await auto.judge(request.judge, engine, choices)
  return { engine, judge: judge.name === engine.name ? withBaseUrl(judge, url) : judge, choices }
}
