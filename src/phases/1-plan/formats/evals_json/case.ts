/** One case of an evals.json in normal form. */
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import { placeBundle, placeInputs } from '../../inputs.ts'
import { slugOfFirstWords } from '../../slug.ts'
import type { Warn } from '../../warnings.ts'
import { type Additions, additionNames } from './additions.ts'
import { takeCriteria } from './criteria.ts'
import { type CaseSource, kindOf } from './document.ts'
import { type Fields, isObject, isText, openFields, takeText, textIn, warnAlias, warnRest } from './fields.ts'
import type { CaseId } from './ids.ts'
import { fileNames, idNames, outputNames, promptNames, titleNames, triggerNames } from './names.ts'

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
  const eval_name = nameOf(fields, id, prompt)
  const expected_output = outputOf(fields, warn)
  const criteria = takeCriteria(fields, warn)
  const inputs = await placeInputs(pathsOf(fields, warn), place)
  const bundle = own.git === undefined || own.git === true ? null : await placeBundle(own.git.bundle, place.root)
  const checks = [...(own.checks ?? []), ...criteria.checks]
  const expectations = expectationsOf({ listed: criteria.expectations, checks, expected_output, at: source.at }, warn)
  leaveRest(fields, warn)
  const reasons = [
    ...(prompt === null ? ['it has no prompt'] : []),
    ...((own.turns ?? []).length > 0 ? ['it has "turns", and several turns are not supported yet'] : []),
    ...inputs.reasons,
    ...(bundle?.reasons ?? []),
  ]
  return {
    eval_id: id.eval_id,
    eval_key: own.eval_key ?? id.eval_key,
    eval_name,
    prompt: prompt ?? '',
    expected_output,
    files: inputs.files,
    expectations,
    checks,
    reference: own.reference ?? null,
    timeout_seconds: own.timeout ?? null,
    setup: own.setup ?? null,
    git: own.git === true ? true : (bundle?.state ?? null),
    cannot_run: reasons.length === 0 ? null : reasons.join('; '),
  }
}

function withoutAdditions(object: CaseSource['object']): CaseSource['object'] {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !additionNames.includes(key)))
}

/** As written, white space included; null: the case has none. */
function promptOf(fields: Fields, warn: Warn): string | null {
  const taken = fields.take(promptNames, isText)
  warnAlias(taken, promptNames, warn)
  return isText(taken?.value) ? taken.value : null
}

/** Its name or title, else its own id where that is text, else a slug of the prompt's first words. */
function nameOf(fields: Fields, id: CaseId, prompt: string | null): string {
  const title = takeText(fields, titleNames)
  const key = id.eval_key !== null && !/^[-\d.]+$/.test(id.eval_key) ? id.eval_key : null
  return title ?? key ?? (slugOfFirstWords(prompt ?? '') || `case-${id.eval_id}`)
}

function outputOf(fields: Fields, warn: Warn): string | null {
  const taken = fields.take(outputNames)
  warnAlias(taken, outputNames, warn)
  if (taken === null) return null
  const text = textIn(taken.value)
  if (text !== null || typeof taken.value === 'string') return text
  warn(taken.at, `${kindOf(taken.value)}, not text; the judge gets it as JSON`)
  return JSON.stringify(taken.value)
}

interface Judged {
  listed: SuiteCase['expectations']
  checks: SuiteCase['checks']
  expected_output: string | null
  at: string
}

function expectationsOf({ listed, checks, expected_output, at }: Judged, warn: Warn): SuiteCase['expectations'] {
  if (listed.length > 0 || checks.length > 0) return listed
  if (expected_output === null) {
    warn(at, 'no criteria and no expected_output; the case runs ungraded, outside every rate')
    return []
  }
  warn(at, 'no criteria; one expectation is derived from expected_output')
  return [{ text: `The outcome matches the expected output: ${expected_output}`, derived: true }]
}

/** Paths as written; what is no path is left out with a warning. */
function pathsOf(fields: Fields, warn: Warn): { path: string; at: string }[] {
  const taken = fields.take(fileNames)
  warnAlias(taken, fileNames, warn)
  if (taken === null) return []
  if (!Array.isArray(taken.value)) warn(taken.at, `${kindOf(taken.value)}, not a list; it is read as one file`)
  const items: unknown[] = Array.isArray(taken.value) ? taken.value : [taken.value]
  return items.flatMap((item, index) => {
    const at = Array.isArray(taken.value) ? `${taken.at}[${index}]` : taken.at
    const path = isObject(item) ? takeText(openFields(item, at), ['path', 'file', 'source']) : textIn(item)
    if (path === null) warn(at, `${kindOf(item)} without a path; it is skipped`)
    else if (isObject(item)) warn(at, 'an object; its path is the file')
    return path === null ? [] : [{ path, at }]
  })
}

function leaveRest(fields: Fields, warn: Warn): void {
  const trigger = fields.take(triggerNames)
  if (trigger !== null) {
    warn(trigger.at, `"${trigger.key}" is not read: trigger evals belong in a set of their own; here the case is run`)
  }
  warnRest(fields, { what: 'a case', warn })
}
