/** Takes lists of criteria that other tools write under names of their own: checks, and texts that must or must not be there. */
import {
  type FieldReader,
  isJsonObject,
  isText,
  type TakenField,
} from '../../phases/1-plan/formats/evals_json/fields.ts'

const including = 'must_include must_include_all must_contain must_have must_mention must_preserve'.split(' ')
const excluding = 'must_not_include must_not_contain must_not_have must_not_mention must_avoid'.split(' ')

/** How each text of such a list is read; an item that is not text is a criterion as it is. */
const forms: Readonly<Record<string, (text: string) => unknown>> = {
  assert: (text) => text,
  evaluators: (text) => text,
  ...Object.fromEntries(including.map((name) => [name, includes])),
  ...Object.fromEntries(excluding.map((name) => [name, excludes])),
  required_regex: (pattern) => ({ type: 'regex', pattern }),
  forbidden_regex: (pattern) => ({ type: 'not_regex', pattern }),
}

/** Lists where one matching text is enough. */
const choices = 'must_include_one_of must_include_any must_contain_any must_contain_one_of must_mention_any'.split(' ')

export const listsOfOtherTools: readonly string[] = [...Object.keys(forms), ...choices]

/** Under the names as written, with a statement or a check for each text. */
export function takeForeignLists(fields: FieldReader): TakenField[] {
  const lists = Object.entries(forms).flatMap(([name, form]) => {
    const taken = fields.take([name])
    if (taken === null) return []
    return [{ ...taken, value: listItems(taken.value).map((item) => readItem(item, form, excluding.includes(name))) }]
  })
  const oneOf = choices.flatMap((name) => {
    const taken = fields.take([name])
    return taken === null ? [] : [{ ...taken, value: readChoice(listItems(taken.value)) }]
  })
  return [...lists, ...oneOf]
}

function listItems(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** `{ "regex": "…" }` is a pattern. */
function readItem(item: unknown, form: (text: string) => unknown, isAbsent: boolean): unknown {
  if (isText(item)) return form(item)
  if (!isJsonObject(item) || Object.keys(item).join() !== 'regex' || !isText(item.regex)) return item
  return { type: isAbsent ? 'not_regex' : 'regex', pattern: item.regex, ignore_case: true }
}

/** A keyword is checked; authors also write whole sentences under these names, which a judge decides. */
function includes(text: string): unknown {
  return isKeyword(text) ? { type: 'icontains', value: text.trim() } : `The outcome includes: ${text}`
}

function excludes(text: string): unknown {
  return isKeyword(text) ? { type: 'not_icontains', value: text.trim() } : `The outcome does not include: ${text}`
}

function readChoice(items: readonly unknown[]): unknown[] {
  const texts = items.filter(isText)
  if (texts.length < items.length || texts.length === 0) return [...items]
  if (texts.every(isKeyword)) return [{ type: 'icontains_any', value: texts.map((text) => text.trim()) }]
  return [`The outcome includes one of these: ${texts.join('; ')}`]
}

/** At most three words that are no sentence, such as "net total" or "CR2032". */
function isKeyword(text: string): boolean {
  return text.trim().split(/\s+/).length <= 3 && text.trim().length <= 40 && !/[.!?;:]$|[.!?;]\s/.test(text.trim())
}
