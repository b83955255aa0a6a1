/** Reads an item's label: true, false, or the name of a skill; truthiness never decides. */

/** `named`: the skills that should be used; empty: none. */
export type TriggerLabel =
  | { kind: 'boolean'; value: boolean }
  | { kind: 'named'; skills: string[] }
  | { kind: 'missing' }
  | { kind: 'unreadable'; field: string; value: unknown }

const booleans = ['should_trigger', 'should', 'skill_should_trigger', 'trigger'] as const
const names = ['expected_skill'] as const
/** Fields with a label. */
export const labelNames: readonly string[] = [...booleans, ...names, 'expected']

const words: Readonly<Record<string, boolean>> = {
  trigger: true,
  should_trigger: true,
  do_not_trigger: false,
  should_not_trigger: false,
  no_trigger: false,
  not_trigger: false,
  skip: false,
}

/** Reads the label of an item. A text other than yes or no is the name of a skill. */
export function readTriggerLabel(item: Readonly<Record<string, unknown>>): TriggerLabel {
  const field = booleans.find((name) => name in item)
  const name = names.map((key) => item[key]).find((value) => typeof value === 'string' && value !== '')
  if (field !== undefined) {
    const value = item[field]
    // in a set for many skills: some skill should be used, and this is its name
    if (value === true && typeof name === 'string') return { kind: 'named', skills: [name] }
    return readLabelValue(field, value)
  }
  if (typeof name === 'string') return { kind: 'named', skills: [name] }
  if ('expected' in item) return readExpectedSkills(item.expected)
  return { kind: 'missing' }
}

function readLabelValue(field: string, value: unknown): TriggerLabel {
  if (typeof value === 'boolean') return { kind: 'boolean', value }
  if (value === null) return { kind: 'named', skills: [] }
  if (isName(value)) return { kind: 'named', skills: [value] }
  if (Array.isArray(value) && value.every(isName)) return { kind: 'named', skills: value }
  return { kind: 'unreadable', field, value }
}

function readExpectedSkills(value: unknown): TriggerLabel {
  const word =
    typeof value === 'string'
      ? words[
          value
            .trim()
            .toLowerCase()
            .replaceAll(/[\s-]+/g, '_')
        ]
      : undefined
  return word === undefined ? readLabelValue('expected', value) : { kind: 'boolean', value: word }
}

/** Quoted "true" and "no" are typing mistakes, not skills. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !/^(true|false|yes|no|y|n|[01])$/i.test(value.trim())
}
