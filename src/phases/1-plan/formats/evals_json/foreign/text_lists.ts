/** Takes lists of criteria that other tools write under names of their own: checks, and texts that must or must not be there. */
import { type FieldReader, isText, type TakenField } from '../fields.ts'

/** How each text of such a list is read; an item that is not text is a criterion as it is. */
const forms: Readonly<Record<string, (text: string) => unknown>> = {
  assert: (text) => text,
  evaluators: (text) => text,
  must_include: includes,
  must_contain: includes,
  must_have: includes,
  must_mention: includes,
  must_preserve: includes,
  must_not_include: excludes,
  must_not_contain: excludes,
  must_not_have: excludes,
  must_not_mention: excludes,
  must_avoid: excludes,
  required_regex: (pattern) => ({ type: 'regex', pattern }),
  forbidden_regex: (pattern) => ({ type: 'not_regex', pattern }),
}

export const listsOfOtherTools: readonly string[] = Object.keys(forms)

/** Under the names as written, with a statement or a check for each text. */
export function takeForeignLists(fields: FieldReader): TakenField[] {
  return Object.entries(forms).flatMap(([name, form]) => {
    const taken = fields.take([name])
    if (taken === null) return []
    const items: unknown[] = Array.isArray(taken.value) ? taken.value : [taken.value]
    return [{ ...taken, value: items.map((item) => (isText(item) ? form(item) : item)) }]
  })
}

/** A judge decides: authors write words, phrases and patterns under these names. */
function includes(text: string): string {
  return `The outcome includes: ${text}`
}

function excludes(text: string): string {
  return `The outcome does not include: ${text}`
}
