/** Takes lists of criteria that other tools write under names of their own: checks, and texts that must or must not be there. */
import {
  type FieldReader,
  isJsonObject,
  isText,
  statementNames,
  type TakenField,
} from '../../phases/1-plan/formats/evals_json/fields.ts'

type Form = (text: string) => unknown

/** Marks an object where a text is needed: its case cannot run. */
export const noText = 'no_text'

/** How each text of such a list is read; an item that is not text is a criterion as it is. */
const forms: Readonly<Record<string, Form>> = {
  ...readAs(states, 'assert evaluators'),
  ...readAs(includes, 'must_include must_include_all must_contain must_have must_mention must_preserve'),
  ...readAs(excludes, 'must_not_include must_not_contain must_not_have must_not_mention must_not must_avoid forbidden'),
  ...readAs(matches, 'required_regex required_patterns must_match'),
  ...readAs(lacks, 'forbidden_regex forbidden_patterns must_not_match'),
}

function readAs(form: Form, names: string): Record<string, Form> {
  return Object.fromEntries(names.split(' ').map((name) => [name, form]))
}

function states(text: string): unknown {
  return text
}

/** Lists where one matching text is enough. */
const choices = 'must_include_one_of must_include_any must_contain_any must_contain_one_of must_mention_any'.split(' ')

export const listsOfOtherTools: readonly string[] = [...Object.keys(forms), ...choices]

/** Under the names as written, with a statement or a check for each text. */
export function takeForeignLists(fields: FieldReader): TakenField[] {
  const lists = Object.entries(forms).flatMap(([name, form]) => {
    const taken = fields.take([name])
    if (taken === null) return []
    return [{ ...taken, value: listItems(taken.value).map((item) => readItem(item, form)) }]
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

/** `{ "regex": "…" }` is a pattern. Another object would be read the wrong way round in a list of what must not be, so it is no text. */
function readItem(item: unknown, form: Form): unknown {
  if (isText(item)) return form(item)
  if (!isJsonObject(item) || form === states) return item
  const isAbsent = form === excludes || form === lacks
  if (Object.keys(item).join() === 'regex' && isText(item.regex))
    return { type: isAbsent ? 'not_regex' : 'regex', pattern: item.regex, ignore_case: true }
  const isStatement = statementNames.some((one) => isText(item[one])) || isText(item.type)
  return isAbsent || !isStatement ? { [noText]: item } : item
}

/** A keyword is checked; authors also write whole sentences under these names, which a judge decides. */
function includes(text: string): unknown {
  if (isPattern.test(text)) return matches(text)
  return isKeyword(text) ? { type: 'icontains', value: text.trim() } : `The outcome includes: ${text}`
}

function excludes(text: string): unknown {
  if (isPattern.test(text)) return lacks(text)
  if (/^(?:do not|don't|never|avoid|no)\s/i.test(text.trim())) return text
  const isPhrase = /^[A-Z][a-z]+ /.test(text.trim()) // "Reveal secrets" is an action, not words of the answer
  return isKeyword(text) && !isPhrase
    ? { type: 'not_icontains', value: text.trim() }
    : `The outcome does not include: ${text}`
}

/** A class of characters of a regular expression, which no one says. */
const isPattern = /\\[sSwWdDbB](?![A-Za-z])/

function matches(pattern: string): unknown {
  return { type: 'regex', pattern }
}

function lacks(pattern: string): unknown {
  return { type: 'not_regex', pattern }
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
