/** Turns a request for all skills of a folder into a plan. Starts and costs nothing. */

import path from 'node:path'
import type { DescriptionOverlap } from '../../../../schemas/overlap.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../../../schemas/suite.ts'
import { sha256 } from '../../../base/json/json.ts'
import { formatOverlap } from '../../../phases/1-plan/check/rules/overlap_rules.ts'
import { findDescriptionOverlaps } from '../../../phases/1-plan/overlap/find_description_overlaps.ts'
import {
  listMergeWarnings,
  type MergedQuery,
  mergeQuerySets,
  type SkillQueries,
} from '../../../phases/1-plan/triggers/all/merge_query_sets.ts'
import { planAllTriggers } from '../../../phases/1-plan/triggers/all/plan_all_triggers.ts'
import type { PlannedQuery } from '../../../phases/4-report/triggers/all/count_queries.ts'
import type { MatrixSkillFacts } from '../../../phases/4-report/triggers/all/matrix_skill.ts'
import { chooseWorkspace } from '../../../store/choose_workspace.ts'
import type { FlowContext } from '../../flow_context.ts'
import { checkUserOnlyQueries } from '../../prepare/user_only_skill.ts'
import { chooseTriggerEngine, pickPlanOptions, type TriggerSettings } from '../prepare_triggers.ts'
import { readAllSkills } from './read_all_skills.ts'

export interface AllTriggersRequest extends Omit<TriggerSettings, 'threshold'> {
  /** The folder that contains the skills. */
  folder: string
  /** One file with the queries of all; null: each skill has its own. */
  set: string | null
  /** When the queries of a skill end: decided, or all `runs`. */
  until: 'decided' | 'all'
  /** null: ./workspaces/<name of the folder>. */
  workspace: string | null
  /** Start again even if an unfinished measurement of the same plan exists. */
  fresh: boolean
}

export interface PreparedAllTriggers {
  /** With the most runs of every query. */
  plan: Plan
  /** Name of the folder of skills. */
  name: string
  /** Absolute. */
  folder: string
  skills: MatrixSkillFacts[]
  queries: PlannedQuery[]
  /** The static look. */
  overlaps: DescriptionOverlap[]
  /** Each skill's folder, by its sha256. */
  folders: ReadonlyMap<string, string>
  workspace: string
  /** Why the engine was chosen, unless the user named it. */
  choices: string[]
}

/** `lenient`: plans even if no engine is available. Throws UserError. */
export async function prepareAllTriggers(
  request: AllTriggersRequest,
  context: FlowContext,
  lenient: boolean,
): Promise<PreparedAllTriggers> {
  const folder = path.resolve(request.folder)
  const { skills, queries: sets, warnings } = await readAllSkills({ ...request, folder })
  const merged = mergeQuerySets(sets)
  const overlaps = findDescriptionOverlaps(skills)
  const choices: string[] = []
  const engine = await chooseTriggerEngine(request, { context, lenient, choices })
  const measured = skills.filter(({ name }) => sets.some(({ skill }) => skill === name))
  const plan = planAllTriggers({
    folder,
    queries: merged,
    skills,
    engine,
    until: request.until,
    ...pickPlanOptions(request),
    sha256: sha256(sets.map(({ set }) => set.sha256).join('\n')),
    createdAt: context.now().toISOString(),
    warnings: [
      ...overlapWarnings(overlaps, skills),
      ...warnings,
      ...listMergeWarnings(sets, merged),
      ...checkUserOnlyQueries(measured, engine),
    ],
  })
  const name = path.basename(folder)
  return {
    plan,
    name,
    folder,
    skills: skills.map((one) => toSkillFacts(one, sets)),
    queries: merged.map(toPlannedQuery),
    overlaps,
    folders: new Map(skills.map(({ sha256: content, path: place }) => [content, place])),
    workspace: chooseWorkspace(request.workspace, name),
    choices,
  }
}

function overlapWarnings(overlaps: readonly DescriptionOverlap[], skills: readonly Skill[]): LoadWarning[] {
  return overlaps.map((one) => ({
    file: path.join(skills.find(({ name }) => name === one.a)?.path ?? one.a, 'SKILL.md'),
    at: 'description',
    message: `close to that of ${one.b}: ${formatOverlap(one)}`,
  }))
}

function toSkillFacts({ name, description, sha256: content }: Skill, sets: readonly SkillQueries[]): MatrixSkillFacts {
  const set = sets.find(({ skill }) => skill === name)?.set.path ?? null
  return { name, description, sha256: content, set }
}

function toPlannedQuery({ number, query, askedWith, owners, notOf, draft }: MergedQuery): PlannedQuery {
  return {
    query_id: number,
    query,
    asked_with: askedWith,
    owners,
    not_of: notOf,
    ...(draft && { draft: true as const }),
  }
}
