/** Reads the fields of a JSON object under any of their names and reports the unread ones. */
import { findMisspelling, findNearest } from '../../../../base/text/did_you_mean.ts'
import type { Warn } from '../../suite/loader_warnings.ts'

export interface TakenField {
  key: string
  value: unknown
  /** JSON path. */
  at: string
}

export interface FieldReader {
  at: string
  /** First of these names with a suitable value; null is absent. `expectedOutput` and `expected-output` match `expected_output`. */
  take(names: readonly string[], fits?: (value: unknown) => boolean): TakenField | null
  rest(): TakenField[]
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Trimmed text; null if it is empty or not text. */
export function readNonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** Null, or empty text, list or object. */
export function isBlank(value: unknown): boolean {
  return /^(?:null|"\s*"|\[\]|\{\})$/.test(JSON.stringify(value))
}

export function openFieldReader(object: Record<string, unknown>, at: string): FieldReader {
  const left = new Map<string, TakenField>()
  for (const [key, value] of Object.entries(object)) {
    if (value !== null) left.set(key, { key, value, at: `${at}${keyPath(key)}` })
  }
  return {
    at,
    take(names, fits = () => true) {
      for (const name of names) {
        const spelt = [...left.values()].filter(({ key, value }) => snakeCase(key) === name && fits(value))
        const found = spelt.find(({ key }) => key === name) ?? spelt[0]
        if (found === undefined) continue
        left.delete(found.key)
        return found
      }
      return null
    },
    rest: () => [...left.values()],
  }
}

/** Trimmed text of the first of these names that has any. */
export function takeText(fields: FieldReader, names: readonly string[]): string | null {
  return readNonEmptyText(fields.take(names, isText)?.value)
}

export function isText(value: unknown): value is string {
  return readNonEmptyText(value) !== null
}

/** Warns if a field was read under another name than the first. */
export function warnAlias(taken: TakenField | null, names: readonly string[], warn: Warn): void {
  if (taken !== null && taken.key !== names[0]) warn(taken.at, `"${taken.key}" is read as "${names[0]}"`)
}

/** Unread fields as written, merged with the content of a field `metadata`. */
export function collectUnreadFields(fields: FieldReader): Record<string, unknown> {
  const { metadata, ...others } = Object.fromEntries(fields.rest().map(({ key, value }) => [key, value]))
  return { ...(isJsonObject(metadata) ? metadata : metadata !== undefined && { metadata }), ...others }
}

/** Warns about unread fields, once per name; harmless names affect neither a run nor a verdict. */
export function warnRest(fields: FieldReader, { what, warn, known = [] }: UnreadFieldOptions): void {
  for (const { key, at } of fields.rest()) {
    if (isHarmless(key)) continue
    const [meant] = findNearest(snakeCase(key), known, 1)
    const isOther = meant !== undefined && meant !== snakeCase(key)
    warn(at, `"${key}" of ${what} is not read${isOther ? `; did you mean "${meant}"?` : ''}`)
  }
}

/** Takes misspelt fields and returns a sentence for each: their content would be lost. `x-…` and `_…` are the author's own. */
export function takeMisspelt(fields: FieldReader, known: readonly string[]): string[] {
  return fields.rest().flatMap(({ key, value }) => {
    const isOwn = isHarmless(key) || /^(?:x[-_]|_)/i.test(key)
    // a name in capitals is ignored if the field itself is present too
    const isInCapitals = key !== key.toLowerCase() && known.includes(key.toLowerCase())
    // pages to read, not a misspelt "reference"; any other near name would lose what shapes the run
    const isOther = key === 'references' && Array.isArray(value)
    const meant = isOwn || isOther ? null : isInCapitals ? key.toLowerCase() : findMisspelling(snakeCase(key), known)
    if (meant === null) return []
    fields.take([snakeCase(key)])
    return [`"${key}" is not a known field (did you mean "${meant}"?)`]
  })
}

/** Takes the fields by which an author switches a case or a criterion off, and returns a sentence for each that does, or that says neither. */
export function takeSwitches(fields: FieldReader): string[] {
  return switchNames.flatMap((name) => {
    const taken = fields.take([name])
    const isOn = taken === null || taken.value === (name === 'enabled')
    return isOn ? [] : [`it is switched off: "${taken.key}" is ${JSON.stringify(taken.value)}`]
  })
}

/** Whether a field only describes what it is in. */
export function isHarmless(key: string): boolean {
  return harmless.has(snakeCase(key))
}

interface UnreadFieldOptions {
  what: string
  warn: Warn
  /** Candidates for a "did you mean" hint. */
  known?: readonly string[]
}

const harmless = new Set(
  '$schema schema schema_version version metadata meta author origin owner created_at updated_at id name title description summary purpose rationale reason why note notes comment comments tags labels category categories kind type difficulty priority severity level'.split(
    ' ',
  ),
)

export function snakeCase(key: string): string {
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[-\s]+/g, '_')
    .toLowerCase()
}

function keyPath(key: string): string {
  return /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}

export const promptNames =
  'prompt input query task question user_prompt user_message user_input message instruction instructions'.split(' ')

export const outputNames =
  'expected_output expected expected_result expected_outcome expected_response expected_answer expected_outputs ground_truth'.split(
    ' ',
  )

/** Lists of statements; a case may have several. The first two are the formats' own. */
export const criteriaNames =
  'expectations assertions expect expected_behavior expected_behaviors criteria success_criteria acceptance_criteria pass_criteria evaluation_criteria rubric checklist'.split(
    ' ',
  )

/** Objects of a case that contain its criteria. */
export const gradingNames = ['execution', 'evaluation', 'grading', 'expected']

export const idNames = ['id', 'eval_id', 'case_id', 'test_id']
export const titleNames = ['eval_name', 'name', 'title', 'case_name', 'case']
export const fileNames = ['files', 'input_files', 'attachments']

export const switchNames = ['disabled', 'skip', 'skipped', 'enabled']

/** Fields about whether a skill should trigger, which is another kind of eval. */
export const triggerNames = ['should_trigger', 'skill_should_trigger', 'should_activate', 'expected_activation']

/** Fields of an object that may contain its statement, best first. */
export const statementNames = 'text description assertion criterion name check pass_if value pattern'.split(' ')
