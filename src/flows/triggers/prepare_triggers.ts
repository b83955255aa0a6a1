/** From a request to the plan of a set of trigger queries: skill, distractors, set, engine. Starts nothing and pays nothing. */
import path from 'node:path'
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { withBaseUrl } from '../../engines/base_url.ts'
import { resolveEngineChoice } from '../../engines/models.ts'
import { readSkill } from '../../phases/1-plan/skill.ts'
import { findQuerySet } from '../../phases/1-plan/triggers/find_set.ts'
import { loadQuerySet } from '../../phases/1-plan/triggers/load_set.ts'
import { planTriggers } from '../../phases/1-plan/triggers/plan_triggers.ts'
import type { QuerySet } from '../../phases/1-plan/triggers/query_set.ts'
import { autoEngine } from '../auto_engine.ts'
import type { FlowContext } from '../context.ts'
import type { Limits } from '../limits.ts'
import type { PaceOptions } from '../pace.ts'
import { skillFolder, workspaceOf } from '../prepare.ts'
import type { Purses } from '../purses.ts'
import { skillsAmong } from './among.ts'

/** How queries are asked; the same for a measurement as for an improvement. */
export interface AskingWish {
  /** Folders of skills that lie beside the tested one. */
  among: readonly string[]
  /** name[:model] or auto. */
  engine: string
  model: string | null
  baseUrl: string | null
  /** Of each query. */
  runs: number
  /** From which trigger rate on a query counts as triggered. */
  threshold: number
  concurrency: number
  timeoutSeconds: number
  maxTurns: number | null
  retries: number
  /** End a run once the skill was read. */
  stopEarly: boolean
  passEnv: readonly string[]
  limits: Limits
  /** What the limits leave, where several measurements share them; absent: this one has them for itself. */
  purses?: Purses
  pace?: PaceOptions | undefined
  sandbox: SandboxWish | null
}

export interface TriggersRequest extends AskingWish {
  /** The skill's folder. */
  skill: string
  /** The set's file; null: found in the skill's folder. */
  set: string | null
  /** null: ./workspaces/<skill_name> */
  workspace: string | null
  /** Start anew even where an unfinished measurement of the same plan lies. */
  fresh: boolean
}

export interface PreparedTriggers {
  plan: Plan
  set: QuerySet
  /** Where the files of each skill lie now, by its sha256. */
  folders: ReadonlyMap<string, string>
  workspace: string
  /** Why the engine was chosen, where it was not named. */
  choices: string[]
}

/** `lenient` plans even where no engine can work. Throws UserError. */
export async function prepareTriggers(
  request: TriggersRequest,
  context: FlowContext,
  lenient: boolean,
): Promise<PreparedTriggers> {
  const { skill, warnings } = await readSkill(await skillFolder(path.resolve(request.skill)))
  const file = request.set === null ? findQuerySet(skill.path) : path.resolve(request.set)
  const set = await loadQuerySet(file, skill.name)
  const among = await skillsAmong(request.among, skill)
  const choices: string[] = []
  const engine = await chooseEngine(request, { context, lenient, choices })
  const plan = planTriggers({
    set,
    skill,
    among: among.skills,
    engine,
    ...planned(request),
    createdAt: context.now().toISOString(),
    warnings: [...warnings, ...among.warnings],
  })
  return { plan, set, folders: foldersOf([skill, ...among.skills]), workspace: workspaceOf(request, skill), choices }
}

/** What a plan takes of the wish as it is. */
export function planned({ runs, timeoutSeconds, maxTurns, retries, stopEarly }: AskingWish) {
  return { runs, timeoutSeconds, maxTurns, retries, stopEarly }
}

function foldersOf(skills: readonly Skill[]): Map<string, string> {
  return new Map(skills.map(({ sha256, path: folder }) => [sha256, folder]))
}

/** The engine of a wish. Throws UserError for one of which it can't be seen whether it reads skills. */
export async function chooseEngine(
  { engine, model, baseUrl }: Pick<AskingWish, 'engine' | 'model' | 'baseUrl'>,
  { context, lenient, choices }: { context: FlowContext; lenient: boolean; choices: string[] },
): Promise<EngineChoice> {
  const placed = withBaseUrl(resolveEngineChoice({ engine, model }), baseUrl)
  const chosen = placed.name === 'auto' ? await autoEngine(context, lenient).choose(placed, 'engine', choices) : placed
  if (chosen.name !== 'command') return chosen
  throw new UserError(
    'the command engine does not show which files a program reads, so it is not known whether it uses a skill',
    'take --engine claude-code, codex, opencode, anthropic or openai',
  )
}
