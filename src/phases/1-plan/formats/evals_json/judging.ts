/** Reads what decides about a case: its expected output, its criteria, or an expectation derived from the expected output. */
import { type Check, isAnswerCheck } from '../../../../../schemas/check.ts'
import type { Rubric } from '../../../../../schemas/rubric.ts'
import type { Expectation, SuiteCase } from '../../../../../schemas/suite.ts'
import type { Warn } from '../../suite/loader_warnings.ts'
import type { CaseConversation } from '../conversation/case_conversation.ts'
import { type CaseCriteria, takeCriteria } from './criteria.ts'
import { describeJsonKind } from './document.ts'
import {
  criteriaNames,
  type FieldReader,
  gradingNames,
  isJsonObject,
  openFieldReader,
  outputNames,
  readNonEmptyText,
  warnAlias,
  warnRest,
} from './fields.ts'
import { listOtherCriteria } from './other_assertions.ts'

export type CaseJudging = Pick<SuiteCase, 'expected_output' | 'expectations' | 'checks'> & Pick<CaseCriteria, 'reasons'>

interface JudgingSource {
  fields: FieldReader
  /** From the case's own "checks" and "rubric". */
  checks: readonly Check[]
  rubric: Rubric | null
  prompt: string | null
  /** Fields of messages, with statements about the answers to them. */
  ofTurns: CaseConversation['criteria']
}

export function readJudging({ fields, checks, rubric, prompt, ofTurns }: JudgingSource, warn: Warn): CaseJudging {
  const { expected_output, criteria } = readJudgingParts(fields, findFileDeliverable(fields, prompt), warn)
  const turns = readTurnCriteria(ofTurns, warn)
  const whole = rubric === null ? [] : [{ text: rubricText(rubric), rubric }]
  const expectations = [...nameTurns([...criteria.expectations, ...turns.expectations]), ...whole]
  const reasons = [...criteria.reasons, ...turns.reasons]
  const all = { expected_output, expectations, checks: [...checks, ...criteria.checks, ...turns.checks], reasons }
  if (all.expectations.length > 0 || all.checks.length > 0) return all
  if (expected_output === null) {
    warn(fields.at, 'no criteria and no expected_output')
    return all
  }
  warn(fields.at, 'no criteria; one expectation is derived from expected_output')
  return { ...all, expectations: [deriveExpectation(expected_output)] }
}

/** Statements of a message are about the answer to it; so are checks of text. */
function readTurnCriteria(ofTurns: CaseConversation['criteria'], warn: Warn): CaseCriteria {
  const read = ofTurns.map(({ turn, object, at }) => {
    const { expectations, checks, reasons } = takeCriteria(openFieldReader(object, at), null, warn)
    const placed = checks.map((check) => setCheckTurn(check, turn))
    return {
      expectations: expectations.map((one) => ({ ...one, turn })),
      checks: placed.flatMap((one) => (typeof one === 'string' ? [] : [one])),
      reasons: [...reasons, ...placed.flatMap((one) => (typeof one === 'string' ? [`${at}: ${one}`] : []))],
    }
  })
  return {
    expectations: read.flatMap((one) => one.expectations),
    checks: read.flatMap((one) => one.checks),
    reasons: read.flatMap((one) => one.reasons),
  }
}

/** Verdicts are matched by their texts, so statements with the same text about different answers get different texts. */
function nameTurns(expectations: readonly Expectation[]): Expectation[] {
  return expectations.map((one) => {
    const isAlone = one.turn === undefined || expectations.filter(({ text }) => text === one.text).length === 1
    return isAlone ? one : { ...one, text: `${one.text} (answer to message ${one.turn})` }
  })
}

/** Or says why a message cannot have it. */
function setCheckTurn(check: Check, turn: number): Check | string {
  if (isAnswerCheck(check)) return { ...check, turn }
  return `a check of type ${check.type} is about the end of the run: write it in "checks" of the case`
}

/** The expectation of a case that only has an expected output. */
export function deriveExpectation(expected: string): Expectation {
  return { text: `The outcome matches the expected output: ${expected}`, derived: true }
}

/** For example: Rubric: accuracy 60 %, style 40 %. */
function rubricText({ dimensions }: Rubric): string {
  const total = dimensions.reduce((sum, { weight }) => sum + weight, 0)
  const shares = dimensions.map(({ name, weight }) => `${name} ${Math.round((100 * weight) / total)} %`)
  return `Rubric: ${shares.join(', ')}`
}

/** From the case itself, or else from a nested object for grading. */
function readJudgingParts(
  fields: FieldReader,
  deliverable: string | null,
  warn: Warn,
): { expected_output: string | null; criteria: CaseCriteria } {
  const read = (from: FieldReader) => {
    const expected_output = readExpectedOutput(from, warn)
    const reason = deliverable ?? (saysToWrite(expected_output) ? 'the expected output says to write a file' : null)
    return { expected_output, criteria: takeCriteria(from, reason, warn) }
  }
  const nested = hasAny(fields)
    ? null
    : fields.take(gradingNames, (value) => isJsonObject(value) && hasAny(openFieldReader(value, '')))
  if (nested === null || !isJsonObject(nested.value)) return read(fields)
  warn(nested.at, `what judges the case is read from "${nested.key}"`)
  const inner = openFieldReader(nested.value, nested.at)
  const found = read(inner)
  warnRest(inner, { what: `"${nested.key}"`, warn })
  return found
}

/** Whether there is a list of criteria or an expected output; reads from a copy. */
function hasAny(fields: FieldReader): boolean {
  const values = Object.fromEntries(fields.rest().map(({ key, value }) => [key, value]))
  const judging = openFieldReader(values, '').take(
    [...criteriaNames, ...listOtherCriteria(), ...outputNames],
    (value) => !isJsonObject(value),
  )
  return judging !== null
}

function readExpectedOutput(fields: FieldReader, warn: Warn): string | null {
  const taken = fields.take(outputNames)
  warnAlias(taken, outputNames, warn)
  if (taken === null) return null
  const text = readNonEmptyText(taken.value)
  if (text !== null || typeof taken.value === 'string') return text
  warn(taken.at, `${describeJsonKind(taken.value)}, not text; the judge gets it as JSON`)
  return JSON.stringify(taken.value)
}

/** Fields of other tools that list the files a run should leave. */
const outputFileNames =
  'output_file output_files expected_file expected_files expected_output_file expected_output_files files_created expected_artifacts artifacts deliverables'.split(
    ' ',
  )

/**
 * Why files are the deliverable: the case has a field for output files, or its prompt or expected output says to write one.
 * null: nothing says so. Reads from a copy of the fields.
 */
function findFileDeliverable(fields: FieldReader, prompt: string | null): string | null {
  const values = Object.fromEntries(fields.rest().map(({ key, value }) => [key, value]))
  const listed = openFieldReader(values, '').take(outputFileNames, isFilled)
  if (listed !== null) return `the case has "${listed.key}"`
  return saysToWrite(prompt) ? 'the prompt asks for a file' : null
}

/** Whether a sentence has a verb of writing and, after it, the word "file" or the name of one. */
export function saysToWrite(text: string | null): boolean {
  return text !== null && writing.test(text)
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== false && value !== ''
}

const verbs =
  'writ(?:e|es|ing|ten)|sav(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|generat(?:e|es|ed|ing)|produc(?:e|es|ed|ing)|export(?:s|ed|ing)?|stor(?:e|es|ed|ing)|add(?:s|ed|ing)?|edit(?:s|ed|ing)?|updat(?:e|es|ed|ing)|implement(?:s|ed|ing)?'
const endings =
  'md|txt|csv|tsv|jsonl?|ya?ml|toml|xml|html?|css|scss|[cm]?[jt]sx?|py|ipynb|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|sql|vue|svelte|tf|pdf|docx?|xlsx?|pptx?|svg|png|jpe?g'
/** The end of a sentence parts them: a full stop with a space, but not the one in a file's name. */
const between = '(?:(?![.!?]\\s|\\n\\n)[\\s\\S]){0,120}?'
const writing = new RegExp(`\\b(?:${verbs})\\b${between}(?:\\bfiles?\\b|[\\w)}\\]-]\\.(?:${endings})\\b)`, 'i')
