/** One case of an evals.json in normal form. */
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import { type NamedInput, placeBundle, placeInputs } from '../../inputs.ts'
import { slugOfFirstWords } from '../../slug.ts'
import type { Warn } from '../../warnings.ts'
import { type Additions, additionNames, isOwnField } from './additions.ts'
import { type CaseSource, kindOf } from './document.ts'
import { placeEnvironment } from './environment.ts'
import { type Fields, isObject, isText, notedIn, openFields, takeText, textIn, warnAlias, warnRest } from './fields.ts'
import type { CaseId } from './ids.ts'
import { readJudging } from './judging.ts'
import {
  criteriaNames,
  fileNames,
  gradingNames,
  idNames,
  outputNames,
  promptNames,
  titleNames,
  triggerNames,
} from './names.ts'

/** `review` of a case that a model wrote, until its author takes it out. */
export const draftMark = 'draft'

const draftWarning = `a draft that nobody has reviewed ("review": "${draftMark}")`

export interface CaseParts {
  source: CaseSource
  own: Additions
  id: CaseId
}

export interface CasePlace {
  /** The suite file, absolute. */
  file: string
  /** The skill's folder, absolute. */
  root: string
  warn: Warn
}

/** Reads everything a case has; what keeps it from running is in `cannot_run`. */
export async function readCase({ source, own, id }: CaseParts, place: CasePlace): Promise<SuiteCase> {
  const { warn } = place
  const fields = openFields(withoutAdditions(source.object), source.at)
  fields.take(idNames)
  const prompt = promptOf(fields, warn)
  const instead = prompt === null ? otherThanPrompt(fields) : ''
  const eval_name = nameOf(fields, id, prompt)
  const judging = readJudging({ fields, checks: own.checks ?? [], rubric: own.rubric || null }, warn)
  const named = pathsOf(fields, warn)
  const inputs = await placeInputs(named.paths, place)
  const bundle =
    own.git === undefined || own.git === true
      ? null
      : await placeBundle({ path: own.git.bundle, at: `${source.at}.git.bundle` }, place)
  const around = await placeEnvironment(own.environment, source.at, place)
  const isDraft = fields.take(['review'], (value) => value === draftMark) !== null
  if (isDraft) warn(source.at, draftWarning)
  const noted = { ...notedIn(fields), ...(source.noted && { suite: source.noted }) }
  leaveRest(fields, warn)
  const reasons = [
    ...(prompt === null ? [`it has no prompt${instead}`] : []),
    ...((own.turns ?? []).length > 0 ? ['it has "turns", and several turns are not supported yet'] : []),
    ...named.reasons,
    ...inputs.reasons,
    ...(bundle?.reasons ?? []),
    ...around.reasons,
  ]
  return {
    eval_id: id.eval_id,
    eval_key: own.eval_key ?? id.eval_key,
    eval_name,
    prompt: prompt ?? '',
    expected_output: judging.expected_output,
    files: inputs.files,
    expectations: judging.expectations,
    checks: judging.checks,
    reference: own.reference ?? null,
    timeout_seconds: own.timeout ?? null,
    setup: own.setup ?? null,
    git: own.git === true ? true : (bundle?.state ?? null),
    ...(around.environment && { environment: around.environment }),
    ...(isDraft && { draft: true as const }),
    ...(Object.keys(noted).length > 0 && { metadata: noted }),
    cannot_run: reasons.length === 0 ? null : reasons.join('; '),
  }
}

function withoutAdditions(object: CaseSource['object']): CaseSource['object'] {
  return Object.fromEntries(Object.entries(object).filter(([key, value]) => !isOwnField(key, value)))
}

/** As written, white space included; null: the case has none. */
function promptOf(fields: Fields, warn: Warn): string | null {
  const taken = fields.take(promptNames, isText)
  warnAlias(taken, promptNames, warn)
  return isText(taken?.value) ? taken.value : null
}

/** What stands where the prompt should be, in another form; empty: nothing does. */
function otherThanPrompt(fields: Fields): string {
  const found = fields.rest().find(({ key, value }) => askingNames.includes(key) && typeof value !== 'string')
  return found === undefined ? '' : `: "${found.key}" is ${kindOf(found.value)}, not text`
}

const askingNames = [...promptNames, 'messages']

/** Its name or title, else its own id where that is text, else a slug of the prompt's first words. */
function nameOf(fields: Fields, id: CaseId, prompt: string | null): string {
  const title = takeText(fields, titleNames)
  const key = id.eval_key !== null && !/^[-\d.]+$/.test(id.eval_key) ? id.eval_key : null
  return title ?? key ?? (slugOfFirstWords(prompt ?? '') || `case-${id.eval_id}`)
}

/** Paths as written. Null items are skipped; anything else without a path is a reason not to run, for the task would lack it. */
function pathsOf(fields: Fields, warn: Warn): { paths: NamedInput[]; reasons: string[] } {
  const taken = fields.take(fileNames)
  warnAlias(taken, fileNames, warn)
  const found: { paths: NamedInput[]; reasons: string[] } = { paths: [], reasons: [] }
  if (taken === null) return found
  const isList = Array.isArray(taken.value)
  if (!isList) warn(taken.at, `${kindOf(taken.value)}, not a list; it is read as one file`)
  const items: unknown[] = Array.isArray(taken.value) ? taken.value : [taken.value]
  for (const [index, item] of items.entries()) {
    const at = isList ? `${taken.at}[${index}]` : taken.at
    const path = isObject(item) ? takeText(openFields(item, at), ['path', 'file', 'source']) : textIn(item)
    if (path !== null) found.paths.push({ path, at })
    if (path !== null && isObject(item)) warn(at, 'an object; its path is the file')
    if (item === null) warn(at, 'null, not a file; it is skipped')
    else if (path === null) found.reasons.push(`${at} is ${kindOf(item)} without a path`)
  }
  return found
}

/** The names of the format itself come first: of two that are as near the first is guessed. */
const knownNames = [
  ...['prompt', 'expected_output', 'expectations', 'assertions', 'eval_name', 'files'],
  ...additionNames,
  ...[...promptNames, ...outputNames, ...criteriaNames, ...gradingNames, ...titleNames, ...fileNames],
]

function leaveRest(fields: Fields, warn: Warn): void {
  const trigger = fields.take(triggerNames)
  if (trigger !== null) {
    warn(trigger.at, `"${trigger.key}" is not read: trigger evals belong in a set of their own; here the case is run`)
  }
  warnRest(fields, { what: 'a case', warn, known: knownNames })
}
