/** What decides about a case: its expected output, its criteria, or one expectation made of the former. */
import type { Check } from '../../../../../schemas/check.ts'
import type { Rubric } from '../../../../../schemas/rubric.ts'
import type { Expectation, SuiteCase } from '../../../../../schemas/suite.ts'
import type { Warn } from '../../warnings.ts'
import { type Criteria, takeCriteria } from './criteria.ts'
import { kindOf } from './document.ts'
import { type Fields, isObject, openFields, textIn, warnAlias, warnRest } from './fields.ts'
import { criteriaNames, gradingNames, outputNames } from './names.ts'

export type Judging = Pick<SuiteCase, 'expected_output' | 'expectations' | 'checks'>

interface Own {
  fields: Fields
  /** Of the case's own "checks" and "rubric". */
  checks: readonly Check[]
  rubric: Rubric | null
}

/** Takes all of it from the case's fields. */
export function readJudging({ fields, checks, rubric }: Own, warn: Warn): Judging {
  const { expected_output, criteria } = judgedBy(fields, warn)
  const expectations = [...criteria.expectations, ...(rubric === null ? [] : [{ text: rubricText(rubric), rubric }])]
  const all = { expected_output, expectations, checks: [...checks, ...criteria.checks] }
  if (all.expectations.length > 0 || all.checks.length > 0) return all
  if (expected_output === null) {
    warn(fields.at, 'no criteria and no expected_output; the case runs ungraded, outside every rate')
    return all
  }
  warn(fields.at, 'no criteria; one expectation is derived from expected_output')
  return { ...all, expectations: [derivedFrom(expected_output)] }
}

/** What decides about a case that has nothing but an expected output. */
export function derivedFrom(expected: string): Expectation {
  return { text: `The outcome matches the expected output: ${expected}`, derived: true }
}

/** Such as: Rubric: accuracy 60 %, style 40 %. */
function rubricText({ dimensions }: Rubric): string {
  const total = dimensions.reduce((sum, { weight }) => sum + weight, 0)
  const shares = dimensions.map(({ name, weight }) => `${name} ${Math.round((100 * weight) / total)} %`)
  return `Rubric: ${shares.join(', ')}`
}

/** Of the case itself, or, where it has nothing of the kind, of an object in it that is made for it. */
function judgedBy(fields: Fields, warn: Warn): { expected_output: string | null; criteria: Criteria } {
  const nested = hasAny(fields)
    ? null
    : fields.take(gradingNames, (value) => isObject(value) && hasAny(openFields(value, '')))
  if (nested === null || !isObject(nested.value)) {
    return { expected_output: outputOf(fields, warn), criteria: takeCriteria(fields, warn) }
  }
  warn(nested.at, `what judges the case is read from "${nested.key}"`)
  const inner = openFields(nested.value, nested.at)
  const found = { expected_output: outputOf(inner, warn), criteria: takeCriteria(inner, warn) }
  warnRest(inner, { what: `"${nested.key}"`, warn })
  return found
}

/** Whether there is a criteria list or an expected output; asks a copy, takes nothing. */
function hasAny(fields: Fields): boolean {
  const values = Object.fromEntries(fields.rest().map(({ key, value }) => [key, value]))
  const judging = openFields(values, '').take([...criteriaNames, ...outputNames], (value) => !isObject(value))
  return judging !== null
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
