/** Turns a request for all skills of a folder into a plan. Starts and costs nothing. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { DescriptionOverlap } from '../../../../schemas/overlap.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { missingPathError } from '../../../base/fs/nearest_path.ts'
import { sha256 } from '../../../base/json/json.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { PreparedBench } from '../../../flows/prepare/prepare_bench.ts'
import { findNestedSkills } from '../../../flows/prepare/resolve_skills.ts'
import { findDescriptionOverlaps, formatOverlap } from '../../../phases/1-plan/check/find_description_overlaps.ts'
import { readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { chooseWorkspace } from '../../../store/choose_workspace.ts'
import {
  checkUserOnlyQueries,
  chooseTriggerEngine,
  indexSkillFolders,
  type MeasureRequest,
  readDistractors,
} from '../measure/prepare_triggers.ts'
import { loadQuerySet } from '../queries/load_query_set.ts'
import { planQueries, type QueryPlanSettings } from '../queries/plan_triggers.ts'
import { findQuerySet, type QuerySet } from '../queries/query_set.ts'
import type { MatrixSkillFacts } from './build_matrix.ts'
import type { PlannedQuery } from './theft_rule.ts'

export interface AllTriggersRequest extends MeasureRequest {
  folder: string
  /** When the queries of a skill end: decided, or all `runs`. */
  until: 'decided' | 'all'
}

export interface PreparedAllTriggers extends PreparedBench {
  name: string
  /** Absolute. */
  skillsFolder: string
  skills: MatrixSkillFacts[]
  queries: PlannedQuery[]
  /** The static look. */
  overlaps: DescriptionOverlap[]
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
    ...request,
    folder,
    queries: merged,
    skills,
    engine,
    sha256: sha256(sets.map(({ set }) => set.sha256).join('\n')),
    createdAt: context.now().toISOString(),
    warnings: [
      ...overlaps.map((one) => ({
        file: path.join(skills.find(({ name }) => name === one.a)?.path ?? one.a, 'SKILL.md'),
        at: 'description',
        message: `close to that of ${one.b}: ${formatOverlap(one)}`,
      })),
      ...warnings,
      ...listMergeWarnings(sets, merged),
      ...checkUserOnlyQueries(measured, engine),
    ],
  })
  const name = path.basename(folder)
  return {
    plan,
    name,
    skillsFolder: folder,
    skills: skills.map((one) => toSkillFacts(one, sets)),
    queries: merged,
    overlaps,
    folders: indexSkillFolders(skills),
    workspace: chooseWorkspace(request.workspace, name),
    choices,
  }
}

function toSkillFacts({ name, description, sha256: content }: Skill, sets: readonly SkillQueries[]): MatrixSkillFacts {
  const set = sets.find(({ skill }) => skill === name)?.set.path ?? null
  return { name, description, sha256: content, set }
}

type AllSkillsRequest = Pick<AllTriggersRequest, 'folder' | 'set' | 'among' | 'links'>

interface AllSkills {
  /** Those of the folder, by name, then those that only compete. */
  skills: Skill[]
  queries: SkillQueries[]
  warnings: LoadWarning[]
}

/** With the queries of each. Throws UserError for fewer than two skills, two of one name, and skills without queries: all of them in one message. */
async function readAllSkills(request: AllSkillsRequest): Promise<AllSkills> {
  const { skills, warnings } = await readFolderSkills(request)
  const [first] = skills
  if (first === undefined || skills.length === 1) throw tooFewError(request.folder, first)
  refuseSameNames(skills)
  const queries = await readAllQueries(skills, request)
  const others = await readCompetitors(request, skills)
  return {
    skills: [...skills, ...others.skills],
    queries,
    warnings: [...warnings, ...queries.flatMap(({ set }) => set.warnings), ...others.warnings],
  }
}

async function readFolderSkills({ folder, links }: AllSkillsRequest) {
  const info = await stat(folder).catch(() => null)
  if (info === null) throw missingPathError(folder, 'folder', 'pass a folder that contains skills')
  if (!info.isDirectory()) throw new UserError(`--all "${folder}": not a folder`, 'pass a folder that contains skills')
  if (await pathExists(path.join(folder, 'SKILL.md')))
    throw new UserError(
      `--all "${folder}": one skill, not a folder of skills`,
      `pass the folder above it, or measure it alone: whetstone triggers ${folder}`,
    )
  const read = []
  for (const place of await findNestedSkills(folder)) read.push(await readSkill(place, links))
  const skills = read.map(({ skill }) => skill).sort((a, b) => a.name.localeCompare(b.name))
  return { skills, warnings: read.flatMap((one) => one.warnings) }
}

function tooFewError(folder: string, only: Skill | undefined): UserError {
  if (only === undefined)
    return new UserError(`--all "${folder}": no skill in it`, 'pass a folder whose folders contain SKILL.md')
  return new UserError(
    `--all "${folder}": only one skill in it, ${only.name}; nothing competes with it`,
    `add other skills, or measure it alone: whetstone triggers ${path.relative(process.cwd(), only.path) || '.'}`,
  )
}

function refuseSameNames(skills: readonly Skill[]): void {
  const twins = skills.filter((one) => skills.some((other) => other !== one && other.name === one.name))
  const [first] = twins
  if (first === undefined) return
  const places = twins.map(({ name, path: place }) => `${name} in ${place}`).join(', ')
  throw new UserError(
    `several skills have the same name: ${places}`,
    `an agent gets only one of them: rename or move one, and its folder`,
  )
}

/** Every skill needs queries of its own. */
async function readAllQueries(skills: readonly Skill[], { set }: AllSkillsRequest): Promise<SkillQueries[]> {
  const found: SkillQueries[] = []
  const without: { name: string; reason: string }[] = []
  for (const { name, path: place } of skills) {
    try {
      const file = set === null ? findQuerySet(place) : path.resolve(set)
      const loaded = await loadQuerySet(file, name, { amongOthers: true })
      if (loaded.queries.some(({ should_trigger }) => should_trigger)) found.push({ skill: name, set: loaded })
      else without.push({ name, reason: `${loaded.path}: no query should trigger it` })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      without.push({ name, reason: error.message })
    }
  }
  const [first] = without
  if (first === undefined) return found
  const names = without.map(({ name }) => name).join(', ')
  const skillsText = without.length === 1 ? 'skill' : 'skills'
  throw new UserError(
    `${without.length} of ${skills.length} skills without trigger queries of their own: ${names} (${first.reason})`,
    `write evals/trigger-eval.json in each (whetstone triggers <skill> --generate 10 drafts one), or move the ${skillsText} elsewhere and name that with --among`,
  )
}

async function readCompetitors({ among, links }: AllSkillsRequest, skills: readonly Skill[]) {
  const [first, ...rest] = skills
  if (first === undefined || among.length === 0) return { skills: [], warnings: [] }
  const read = await readDistractors({ among, links }, first)
  const isNew = ({ name }: Skill) => !rest.some((one) => one.name === name)
  return { skills: read.skills.filter(isNew), warnings: read.warnings }
}

interface AllTriggersPlanRequest extends QueryPlanSettings {
  /** The folder of the skills, absolute. */
  folder: string
  queries: readonly PlannedQuery[]
  /** Every installed skill; at least one. */
  skills: readonly Skill[]
  /** sha256 over the sets. */
  sha256: string
}

/** A run's skill is the one that its query is asked with. */
function planAllTriggers(request: AllTriggersPlanRequest): Plan {
  const { queries, skills, folder, sha256 } = request
  const beside = new Map(skills.map((one) => [one.name, skills.filter((other) => other !== one)]))
  return planQueries({
    ...request,
    suite: { path: folder, format: 'trigger queries of many skills', sha256 },
    queries: queries.map(({ query_id, query, asked_with }) => {
      const skill = findOwner(skills, asked_with)
      return { query_id, id: null, query, skill, among: beside.get(skill.name) ?? [] }
    }),
    stopAt: 'any_skill_read',
  })
}

function findOwner(skills: readonly Skill[], name: string): Skill {
  const found = skills.find((one) => one.name === name) ?? skills[0]
  if (found === undefined) throw new Error('a plan needs at least one skill')
  return found
}

interface SkillQueries {
  skill: string
  set: QuerySet
}

/** Equal texts are one query, up to white space and case. */
function mergeQuerySets(all: readonly SkillQueries[]): PlannedQuery[] {
  const merged = new Map<string, Omit<PlannedQuery, 'query_id' | 'asked_with'>>()
  for (const { skill, set } of all) {
    for (const { query, should_trigger, draft } of set.queries) {
      const key = query.replaceAll(/\s+/g, ' ').trim().toLowerCase()
      const one = merged.get(key) ?? { query, owners: [], not_of: [] }
      const names = should_trigger ? one.owners : one.not_of
      if (!names.includes(skill)) names.push(skill)
      merged.set(key, { ...one, ...(draft && { draft }) })
    }
  }
  return [...merged.values()].map((one, at) => ({
    query_id: at + 1,
    asked_with: one.owners[0] ?? one.not_of[0] ?? '',
    ...one,
  }))
}

/** What a reader should know of each skill's queries. */
function listMergeWarnings(all: readonly SkillQueries[], merged: readonly PlannedQuery[]): LoadWarning[] {
  const shared = merged.filter(({ owners }) => owners.length > 1)
  const both = merged.filter(({ owners, not_of }) => owners.some((skill) => not_of.includes(skill)))
  const file = all[0]?.set.path ?? ''
  const note = (query: string) => (query.length > 80 ? `${query.slice(0, 79)}…` : query)
  return [
    ...shared.map(({ query, owners }) => ({
      file,
      at: '$',
      message: `${owners.join(' and ')} both claim the query "${note(query)}"; reading either is right`,
    })),
    ...both.map(({ query }) => ({ file, at: '$', message: `one set has "${note(query)}" as both kinds of query` })),
  ]
}
