/** Finds the queries in a set's file: a list, a list under a name, two lists, or groups by skill. */
import * as z from 'zod'
import { UserError } from '../../../base/errors/error.ts'
import { isSameSkill } from './labels.ts'

/** One entry of the file and its JSON path. */
export interface FoundItem {
  value: unknown
  at: string
  /** From the list that contains it; null: the item itself has the label. */
  label: boolean | null
}

export interface FoundItems {
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

const object = z.record(z.string(), z.unknown())
const list = z.array(z.unknown())

/** Finds the items. Throws UserError for a file without trigger queries, or without any for this skill. */
export function findItems(content: unknown, of: { file: string; skill: string }): FoundItems {
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
  if (found === null) throw noSet(of.file, `it has ${Object.keys(fields.data).slice(0, 8).join(', ') || 'no field'}`)
  return { ...found, skillName: readGroupName(fields.data, ['skill_name', 'skill']), passedOver: [] }
}

function readFieldLists(fields: Record<string, unknown>, at: string): Pick<FoundItems, 'format' | 'items'> | null {
  const [yes, no] = [positive, negative].map((names) => names.find((name) => list.safeParse(fields[name]).success))
  if (yes !== undefined || no !== undefined) {
    const half = (name: string | undefined, label: boolean) =>
      name === undefined ? [] : toFoundItems(list.parse(fields[name]), `${at}.${name}`, label)
    return { format: 'two lists', items: [...half(yes, true), ...half(no, false)] }
  }
  const name = lists.find((one) => list.safeParse(fields[one]).success)
  return name === undefined
    ? null
    : { format: `list in ${name}`, items: toFoundItems(list.parse(fields[name]), `${at}.${name}`, null) }
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
