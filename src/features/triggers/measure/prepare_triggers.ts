/** Turns a request into a plan for trigger queries: skill, distractors, set, engine. Starts and costs nothing. */
import path from 'node:path'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import type { SandboxWish } from '../../../base/sandbox/choose.ts'
import { withBaseUrl } from '../../../engines/models/base_url.ts'
import { withEffort } from '../../../engines/models/effort.ts'
import { resolveEngineChoice } from '../../../engines/models/resolve_model.ts'
import { findEngine, nameEngines } from '../../../engines/table.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { Limits } from '../../../flows/limits/limits.ts'
import { createAutoEngine } from '../../../flows/prepare/choose_engine.ts'
import { ignoreRefusals, throwRefusal } from '../../../flows/prepare/preflight.ts'
import {
  type BenchRequest,
  type PreparedBench,
  resolveSkillFolder,
  resolveSkillWorkspace,
} from '../../../flows/prepare/prepare_bench.ts'
import { warnNoEffect } from '../../../flows/prepare/user_only_skill.ts'
import { readNeighbours } from '../../../flows/read_neighbours.ts'
import { planRules } from '../../../phases/1-plan/check/rules/plan_rules.ts'
import { readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { loadQuerySet } from '../queries/load_query_set.ts'
import { planTriggers } from '../queries/plan_triggers.ts'
import { findQuerySet, type QuerySet } from '../queries/query_set.ts'

/** How to run queries. */
export interface TriggerSettings
  extends Pick<BenchRequest, 'runs' | 'concurrency' | 'maxTurns' | 'retries' | 'passEnv' | 'pace' | 'links'> {
  /** Folders of skills that are installed alongside the tested one. */
  among: readonly string[]
  /** name[:model] or auto. */
  engine: string
  model: string | null
  baseUrl: string | null
  /** How hard the model thinks; absent or null: the engine's default. */
  effort?: string | null
  /** The trigger rate from which a query counts as triggered. */
  threshold: number
  timeoutSeconds: number
  /** End a run once the agent reads the skill. */
  stopEarly: boolean
  limits: Limits
  sandbox: SandboxWish | null
}

export interface MeasureRequest extends Omit<TriggerSettings, 'threshold'> {
  /** The file of the queries; null: found in the folder of each skill. */
  set: string | null
  /** null: in ./workspaces, by the name of the skill, or of the folder of skills. */
  workspace: string | null
  /** Start again even if an unfinished measurement of the same plan exists. */
  fresh: boolean
}

export interface TriggersRequest extends MeasureRequest {
  skill: string
  threshold: number
}

export interface PreparedTriggers extends PreparedBench {
  set: QuerySet
}

/** `lenient`: plans even if no engine is available. Throws UserError. */
export async function prepareTriggers(
  request: TriggersRequest,
  context: FlowContext,
  lenient: boolean,
): Promise<PreparedTriggers> {
  const { skill, warnings } = await readSkill(await resolveSkillFolder(path.resolve(request.skill)), request.links)
  const file = request.set === null ? findQuerySet(skill.path) : path.resolve(request.set)
  const set = await loadQuerySet(file, skill.name)
  const among = await readDistractors(request, skill)
  const choices: string[] = []
  const engine = await chooseTriggerEngine(request, { context, lenient, choices })
  const plan = planTriggers({
    ...request,
    set,
    skill,
    among: among.skills,
    engine,
    createdAt: context.now().toISOString(),
    warnings: [...warnings, ...among.warnings, ...checkUserOnlyQueries([skill], engine)],
  })
  return {
    plan,
    set,
    folders: indexSkillFolders([skill, ...among.skills]),
    workspace: resolveSkillWorkspace(request, skill),
    choices,
  }
}

/** By sha256. */
export function indexSkillFolders(skills: readonly Skill[]): Map<string, string> {
  return new Map(skills.map(({ sha256, path: folder }) => [sha256, folder]))
}

/** The requested engine. Throws UserError for one that does not show whether it reads skills. */
export async function chooseTriggerEngine(
  { engine, model, baseUrl, effort = null }: Pick<TriggerSettings, 'engine' | 'model' | 'baseUrl' | 'effort'>,
  { context, lenient, choices }: { context: FlowContext; lenient: boolean; choices: string[] },
): Promise<EngineChoice> {
  const placed = withBaseUrl(resolveEngineChoice({ engine, model }), baseUrl)
  const chosen =
    placed.name === 'auto'
      ? await createAutoEngine(context, lenient ? ignoreRefusals : throwRefusal).choose(placed, 'engine', choices)
      : placed
  if (chosen.name !== 'command') return withEffort(chosen, effort, '--effort')
  throw new UserError(
    'the command engine does not report which files a program reads, so skill use cannot be measured',
    `use --engine ${nameEngines('or', (one) => one.takesCommand === undefined)}`,
  )
}

/**
 * In the given order, by name within a folder. Leaves out the tested skill in any folder, since two of one name would compete. Throws
 * UserError for a folder without a readable skill.
 */
export async function readDistractors(
  { among, links }: Pick<TriggerSettings, 'among' | 'links'>,
  tested: Skill,
): Promise<{ skills: Skill[]; warnings: LoadWarning[] }> {
  const warnings: LoadWarning[] = []
  const places = among.map((place) => path.resolve(place))
  const { skills } = await readNeighbours({ among: places, links }, tested, (twin, { name, path: file }) => {
    const message = `another skill is named ${name} (${twin.path}); this one was left out`
    warnings.push({ file, at: 'frontmatter', message })
  })
  return { skills, warnings }
}

/** For the skills whose queries are measured. Throws UserError, with all of them, if no query could start them. */
export function checkUserOnlyQueries(skills: readonly Skill[], engine: EngineChoice): LoadWarning[] {
  const userOnly = skills.filter((one) => one.user_only)
  const [first] = userOnly
  if (first === undefined || engine.name === 'auto') return []
  if (findEngine(engine.name).userOnlySkills === undefined) return userOnly.map((one) => warnNoEffect(one, engine))
  const places = userOnly.map(({ path: place }) => `${place}/SKILL.md`).join(', ')
  throw new UserError(
    `${places}: disable-model-invocation: on ${engine.name} the agent never starts such a skill by itself, so no query can trigger it`,
    'remove the line, or choose an engine that ignores it, such as --engine codex or anthropic',
    planRules.userOnlySkill.id,
  )
}
