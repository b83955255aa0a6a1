/** What an item says of whether the skill should be used: true, false, or the name of a skill; nothing is tested for truthiness. */

/** `named`: the skills that should be used, none of them where it is empty. */
export type Label =
  | { kind: 'boolean'; value: boolean }
  | { kind: 'named'; skills: string[] }
  | { kind: 'missing' }
  | { kind: 'unreadable'; field: string; value: unknown }

/** Whether two names mean one skill; a plugin's skill may be written plugin:name. */
export function sameSkill(a: string, b: string): boolean {
  const bare = (name: string) => name.trim().split(':').at(-1)
  return bare(a) === bare(b)
}

const booleans = ['should_trigger', 'shouldTrigger', 'should', 'skill_should_trigger', 'trigger'] as const
const names = ['expected_skill', 'expectedSkill'] as const

const words: Readonly<Record<string, boolean>> = {
  trigger: true,
  should_trigger: true,
  do_not_trigger: false,
  should_not_trigger: false,
  no_trigger: false,
  not_trigger: false,
  skip: false,
}

/** Reads the label of an item. A text that says neither yes nor no is the name of a skill. */
export function labelOf(item: Readonly<Record<string, unknown>>): Label {
  const field = booleans.find((name) => name in item)
  const name = names.map((key) => item[key]).find((value) => typeof value === 'string' && value !== '')
  if (field !== undefined) {
    const value = item[field]
    // of a set for many skills: "some skill should be used, namely this one"
    if (value === true && typeof name === 'string') return { kind: 'named', skills: [name] }
    return ofValue(field, value)
  }
  if (typeof name === 'string') return { kind: 'named', skills: [name] }
  if ('expected' in item) return ofExpected(item.expected)
  return { kind: 'missing' }
}

function ofValue(field: string, value: unknown): Label {
  if (typeof value === 'boolean') return { kind: 'boolean', value }
  if (value === null) return { kind: 'named', skills: [] }
  if (isName(value)) return { kind: 'named', skills: [value] }
  if (Array.isArray(value) && value.every(isName)) return { kind: 'named', skills: value }
  return { kind: 'unreadable', field, value }
}

function ofExpected(value: unknown): Label {
  const word =
    typeof value === 'string'
      ? words[
          value
            .trim()
            .toLowerCase()
            .replaceAll(/[\s-]+/g, '_')
        ]
      : undefined
  return word === undefined ? ofValue('expected', value) : { kind: 'boolean', value: word }
}

/** "true" and "no" in quotes are mistakes of typing, not skills. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !/^(true|false|yes|no|y|n|[01])$/i.test(value.trim())
}
