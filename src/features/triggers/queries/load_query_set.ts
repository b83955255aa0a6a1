/** Reads a set of trigger queries in any known shape; a routing set is reduced to what it says about this skill. */
import path from 'node:path'
import * as z from 'zod'
import { errorMessage, UserError } from '../../../base/errors/error.ts'
import { parseJson, readText, sha256 } from '../../../base/json/json.ts'
import { draftMark } from '../../../phases/1-plan/formats/evals_json/case.ts'
import {
  type FieldReader,
  openFieldReader,
  snakeCase,
  takeMisspelt,
  warnRest,
} from '../../../phases/1-plan/formats/evals_json/fields.ts'
import { isSameSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { collectWarnings, type Warn } from '../../../phases/1-plan/suite/loader_warnings.ts'
import { labelNames, readTriggerLabel, type TriggerLabel } from './labels.ts'
import type { QuerySet, TriggerQuery } from './query_set.ts'

const texts = ['query', 'prompt', 'q', 'input', 'text', 'question', 'message'] as const
const notes = ['reason', 'note', 'why', 'rationale', 'category', 'kind', 'area'] as const
const itemNames = [...texts, ...notes, ...labelNames, 'id', 'split', 'review', 'files']
const object = z.record(z.string(), z.unknown())

interface Item {
  at: string
  fields: Record<string, unknown>
  query: string
  label: TriggerLabel
}

export interface QuerySetContext {
  /** The queries of other skills are run, too, so that a warning about a set without negative queries would be wrong. */
  amongOthers?: boolean
}

/** Reads the set for the skill of this name. Throws UserError with file, place and fix. */
export async function loadQuerySet(
  file: string,
  skill: string,
  { amongOthers = false }: QuerySetContext = {},
): Promise<QuerySet> {
  const text = await readText(file)
  const { warn, list: listWarnings } = collectWarnings(file)
  const content = file.endsWith('.csv') ? await parseCsv(text, file) : parseJson(text, file)
  const found = findItems(content, { file, skill }, warn)
  const items = found.items.map((item) => readQueryItem(item, file, warn))
  const named = items.some(({ label }) => label.kind === 'named')
  if (named) checkRouting(items, { file, skill })
  const queries = items.flatMap(({ at, fields, query, label }): TriggerQuery[] => {
    const should_trigger = decide({ at, label }, { file, skill, named })
    if (should_trigger === null) warn(at, 'it does not say whether the skill should be used; left out')
    if (Array.isArray(fields.files) && fields.files.length > 0)
      warn(at, 'files of a trigger query are not given to the agent')
    if (should_trigger === null) return []
    const { split, note } = { split: readQuerySplit(fields.split), note: firstText(fields, notes) }
    const draft = fields.review === draftMark && { draft: true as const }
    return [{ query_id: 0, id: readQueryId(fields.id), query, should_trigger, split, note, ...draft }]
  })
  const drafts = queries.filter(({ draft }) => draft).length
  if (drafts > 0)
    warn('$', `${count(drafts, 'query is a draft', 'queries are drafts')} not reviewed yet ("review": "${draftMark}")`)
  if (found.skillName !== null && !isSameSkill(found.skillName, skill))
    warn('$', `it is about ${found.skillName}; SKILL.md says ${skill}, which is tested`)
  if (found.passedOver.length > 0 && !amongOthers)
    warn('$', `the groups of ${found.passedOver.length} other skills are ignored`)
  if (named && !amongOthers)
    warn('$', `a routing set: a query that names ${skill} should trigger it, every other one should not`)
  for (const message of doubts(queries, amongOthers)) warn('$', message)
  if (queries.length === 0)
    throw new UserError(`${file}: no queries in it`, 'add {"query": "…", "should_trigger": true}')
  return {
    path: path.resolve(file),
    sha256: sha256(text),
    format: named ? `routing, ${found.format}` : found.format,
    queries: queries.map((one, index) => ({ ...one, query_id: index + 1 })),
    warnings: listWarnings(),
  }
}

/** A row for each query, as in OpenAI's "Testing Agent Skills Systematically with Evals": id, should_trigger, prompt. */
async function parseCsv(text: string, file: string): Promise<unknown> {
  const { parse } = await import('csv-parse/sync')
  const fix = 'write a line "id,should_trigger,prompt", and a line for each query'
  const [head = ''] = text.replace(/^\uFEFF/, '').split(/\r?\n|\r/, 1)
  const columns = (names: string[]) => {
    const lacks = [texts, labelNames].some((known) => !names.some((name) => known.includes(snakeCase(name))))
    if (lacks) throw new UserError(`${file}: the first line names no column for the query or its label: ${head}`, fix)
    return names
  }
  const delimiter = ['\t', ';', ','].find((sign) => head.includes(sign)) ?? ','
  try {
    const rows: unknown = parse(text, {
      ...{ columns, delimiter, cast: toBoolean },
      ...{ bom: true, skip_empty_lines: true, trim: true },
    })
    return rows
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${file}: ${errorMessage(error)}`, fix)
  }
}

/** Other values stay texts. */
function toBoolean(value: string): string | boolean {
  const word = value.toLowerCase()
  return word === 'true' || word === 'false' ? word === 'true' : value
}

/** Names of fields are read in any case, as `shouldTrigger` and `Query`. A misspelt one that loses the query or its label is an error. */
function readQueryItem({ value, at, label: ofList }: FoundItem, file: string, warn: Warn): Item {
  const given = typeof value === 'string' ? { query: value } : (object.safeParse(value).data ?? {})
  const fields = Object.fromEntries(Object.entries(given).map(([name, one]) => [snakeCase(name), one]))
  const query = firstText(fields, texts)
  const label = ofList === null ? readTriggerLabel(fields) : ({ kind: 'boolean', value: ofList } as const)
  const unread = openUnread(given, at, itemNames)
  const [misspelt] = query === null || label.kind === 'missing' ? takeMisspelt(unread, itemNames) : []
  if (misspelt !== undefined) throw new UserError(`${file}: ${at}: ${misspelt}`, 'correct its name, or remove it')
  if (query === null) throw new UserError(`${file}: ${at} has no query`, 'add a text as "query"')
  warnRest(unread, { what: 'a query', warn })
  return { at, fields, query, label }
}

/** The fields that have none of these names. */
function openUnread(given: Record<string, unknown>, at: string, known: readonly string[]): FieldReader {
  const fields = openFieldReader(given, at)
  for (const name of known) fields.take([name])
  return fields
}

/** Skill names in a set only concern this skill if it is among them. */
function checkRouting(items: readonly Item[], { file, skill }: { file: string; skill: string }): void {
  const names = new Set(items.flatMap(({ label }) => (label.kind === 'named' ? label.skills : [])))
  if ([...names].some((name) => isSameSkill(name, skill))) return
  const some = [...names].slice(0, 8).join(', ')
  throw new UserError(
    `${file}: a routing set, which names the skill that each query should reach, and never ${skill}`,
    `it names ${some}${names.size > 8 ? ' …' : ''}; test one of those, or write true and false`,
  )
}

function decide(item: Pick<Item, 'at' | 'label'>, of: { file: string; skill: string; named: boolean }): boolean | null {
  const { at, label } = item
  switch (label.kind) {
    case 'boolean':
      if (label.value && of.named) {
        const message = `${of.file}: ${at} says true in a set that names skills elsewhere: which skill is it?`
        throw new UserError(message, `write ${JSON.stringify(of.skill)} there, or true and false everywhere`)
      }
      return label.value
    case 'named':
      return label.skills.some((name) => isSameSkill(name, of.skill))
    case 'missing':
      return null
    case 'unreadable': {
      const value = JSON.stringify(label.value)?.slice(0, 60)
      throw new UserError(`${of.file}: ${at}.${label.field} is ${value}`, 'write true or false, without quotes')
    }
  }
}

/** Warns about what the results of such a set cannot show. */
function doubts(queries: readonly TriggerQuery[], amongOthers: boolean): string[] {
  const positive = queries.filter(({ should_trigger }) => should_trigger).length
  const labels = new Map<string, Set<boolean>>()
  for (const { query, should_trigger } of queries) {
    labels.set(query, (labels.get(query) ?? new Set()).add(should_trigger))
  }
  const both = [...labels].filter(([, set]) => set.size > 1).map(([query]) => query)
  return [
    ...(positive === 0 ? ['no query should trigger: recall is not known'] : []),
    ...(positive === queries.length && !amongOthers
      ? ['every query should trigger: a skill that is always used would be perfect']
      : []),
    ...(labels.size < queries.length
      ? [`${count(queries.length - labels.size, 'query repeats', 'queries repeat')} another one; each counts`]
      : []),
    ...both.map((query) => `the same query both should and should not trigger: ${query.slice(0, 80)}`),
  ]
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

function readQuerySplit(value: unknown): TriggerQuery['split'] {
  if (value === 'train') return 'train'
  return value === 'test' || value === 'validation' || value === 'val' ? 'test' : null
}

function readQueryId(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

function firstText(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): string | null {
  const found = keys.map((key) => fields[key]).find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof found === 'string' ? found : null
}

/** One entry of the file and its JSON path. */
interface FoundItem {
  value: unknown
  at: string
  /** From the list that contains it; null: the item itself has the label. */
  label: boolean | null
}

interface FoundItems {
  format: string
  items: FoundItem[]
  /** The skill that the file names; null: none. */
  skillName: string | null
  /** Skipped groups of other skills. */
  passedOver: string[]
}

const lists = ['queries', 'cases', 'test_cases', 'evals', 'tests', 'examples', 'items', 'results'] as const
const positive = ['should_trigger', 'positive', 'positives', 'triggers'] as const
const negative = ['should_not_trigger', 'shouldnt_trigger', 'negative', 'negatives', 'non_triggers'] as const

const list = z.array(z.unknown())

/** Finds the items. Throws UserError for a file without trigger queries, or without any for this skill. */
function findItems(content: unknown, of: { file: string; skill: string }, warn: Warn): FoundItems {
  const plain = list.safeParse(content)
  if (plain.success) {
    const groups = readSkillGroups(plain.data, '$')
    if (groups !== null) return selectSkillGroup(groups, of)
    return { format: 'list', items: toFoundItems(plain.data, '$', null), skillName: null, passedOver: [] }
  }
  const fields = object.safeParse(content)
  if (!fields.success) throw noSet(of.file, 'it is neither a list nor an object')
  const skills = list.safeParse(fields.data.skills ?? fields.data.groups)
  const groups = skills.success
    ? readSkillGroups(skills.data, fields.data.skills === undefined ? '$.groups' : '$.skills')
    : null
  if (groups !== null) return selectSkillGroup(groups, of)
  const found = readFieldLists(fields.data, '$')
  if (found !== null)
    warnRest(openUnread(fields.data, '$', [...found.names, 'skill_name', 'skill']), { what: 'the set', warn })
  if (found === null) throw noSet(of.file, `it has ${Object.keys(fields.data).slice(0, 8).join(', ') || 'no field'}`)
  return { ...found, skillName: readGroupName(fields.data, ['skill_name', 'skill']), passedOver: [] }
}

interface FieldLists extends Pick<FoundItems, 'format' | 'items'> {
  /** The fields that hold them. */
  names: string[]
}

function readFieldLists(fields: Record<string, unknown>, at: string): FieldLists | null {
  const [yes, no] = [positive, negative].map((names) => names.find((name) => list.safeParse(fields[name]).success))
  if (yes !== undefined || no !== undefined) {
    const half = (name: string | undefined, label: boolean) =>
      name === undefined ? [] : toFoundItems(list.parse(fields[name]), `${at}.${name}`, label)
    const items = [...half(yes, true), ...half(no, false)]
    return { format: 'two lists', items, names: [yes, no].filter((name) => name !== undefined) }
  }
  const name = lists.find((one) => list.safeParse(fields[one]).success)
  return name === undefined
    ? null
    : { format: `list in ${name}`, items: toFoundItems(list.parse(fields[name]), `${at}.${name}`, null), names: [name] }
}

function toFoundItems(values: readonly unknown[], at: string, label: boolean | null): FoundItem[] {
  return values.map((value, index) => ({ value, at: `${at}[${index}]`, label }))
}

interface Group {
  skill: string
  items: FoundItem[]
}

/** null: the values are not groups. */
function readSkillGroups(values: readonly unknown[], at: string): Group[] | null {
  const groups = values.flatMap((value, index): Group[] => {
    const fields = object.safeParse(value)
    const skill = fields.success ? readGroupName(fields.data, ['skill', 'skill_name', 'name']) : null
    const isQuery = fields.success && typeof (fields.data.query ?? fields.data.prompt) === 'string'
    const found = fields.success && !isQuery ? readFieldLists(fields.data, `${at}[${index}]`) : null
    return skill === null || found === null ? [] : [{ skill, items: found.items }]
  })
  return groups.length > 0 && groups.length === values.length ? groups : null
}

function selectSkillGroup(groups: readonly Group[], of: { file: string; skill: string }): FoundItems {
  const own = groups.filter(({ skill }) => isSameSkill(skill, of.skill))
  const others = groups.filter((group) => !own.includes(group)).map(({ skill }) => skill)
  if (own.length === 0) {
    const names = others.slice(0, 8).join(', ')
    throw new UserError(
      `${of.file}: it has a group of queries for each of ${others.length} skills, and none for ${of.skill}`,
      `there are ${names}${others.length > 8 ? ' …' : ''}; test one of those, or give another file`,
    )
  }
  return {
    format: 'groups by skill',
    items: own.flatMap(({ items }) => items),
    skillName: of.skill,
    passedOver: others,
  }
}

function readGroupName(fields: Record<string, unknown>, keys: readonly string[]): string | null {
  const found = keys.map((key) => fields[key]).find((value) => typeof value === 'string' && value !== '')
  return typeof found === 'string' ? found : null
}

function noSet(file: string, what: string): UserError {
  return new UserError(
    `${file}: no trigger queries in it (${what})`,
    'write a list of {"query": "…", "should_trigger": true}; see docs/how-to/triggers.md',
  )
}
