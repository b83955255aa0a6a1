/** Finds judged passes that a failed check certainly contradicts: of the same sentence, or of the same file. */
import path from 'node:path'
import picomatch from 'picomatch'
import type { Check } from '../../../../schemas/check.ts'
import type { GradedExpectation, Grading } from '../../../../schemas/grading.ts'
import { checkText } from '../checks/check_text.ts'
import { type CheckContext, isContentUnknown } from '../checks/inputs/check_input.ts'
import { locateOutput, normalizeInnerPath, storedName } from '../checks/inputs/locate_output.ts'
import { readTextOnce } from '../documents/document_reads.ts'
import { normalText } from '../evidence/normalize_text.ts'
import type { FailedCheck } from './decisions.ts'
import { claimsAbsence, claimsContent, claimsFile, claimsTextInFile, findLiterals } from './file_claims.ts'

/** What a failed check shows about one file. */
interface FileFinding {
  file: string
  /** lacks_value, has_value: whether its text contains `value`. */
  is: 'missing' | 'lacks_value' | 'has_value' | 'exists' | 'unreadable'
  value: string
  failed: FailedCheck
}

/** The failed checks that contradict passes of the judge, by the pass. */
export async function findContradictions(
  judged: readonly GradedExpectation[],
  failed: readonly FailedCheck[],
  scene: CheckContext,
): Promise<Map<GradedExpectation, FailedCheck>> {
  const findings = (await Promise.all(failed.map((one) => toFileFinding(one, scene)))).filter((one) => one !== null)
  const found = new Map<GradedExpectation, FailedCheck>()
  for (const one of judged) {
    if (!one.passed) continue
    const against =
      failed.find((check) => isOwnSentence(one.text, check)) ??
      findings.find((finding) => isAgainst(finding, one))?.failed
    if (against !== undefined) found.set(one, against)
  }
  return found
}

export function overrulePass(one: GradedExpectation, { check, evidence, unreadable }: FailedCheck): GradedExpectation {
  const { evidence_verified: _, evidence_at: __, evidence_flag: ___, votes: ____, score: _____, ...statement } = one
  return {
    ...statement,
    passed: false,
    evidence: `the judge passed this, but the check '${checkText(check)}' failed: ${evidence}`,
    ...(unreadable && { unreadable }),
    decided_by: `check:${check.type}`,
    overruled: true,
  }
}

/** True if a check overruled the judge: it is asked again each time, because its answer may have been a mistake. */
export function isOverruled({ expectations }: Pick<Grading, 'expectations'>): boolean {
  return expectations.some(({ overruled }) => overruled === true)
}

/** Whether the statement is the check's text, or the sentence made of its parameters. */
function isOwnSentence(text: string, { check }: FailedCheck): boolean {
  return [checkText(check), checkText({ ...check, text: undefined })].some((own) => isSameSentence(text, own))
}

/** Ignores backticks, typographic quotes, white space and the last full stop; capitals count, as they do in a pattern. */
function isSameSentence(one: string, other: string): boolean {
  const plain = (sentence: string) =>
    sentence
      .replaceAll(/[\u201c\u201d]/g, '"')
      .replaceAll('`', '')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replace(/\.$/, '')
  return plain(one) === plain(other)
}

function isAgainst({ file, is, value, failed }: FileFinding, { text, evidence }: GradedExpectation): boolean {
  if (sameStatement(text, checkText({ ...failed.check, text: undefined }))) return true
  const names = [file, path.posix.basename(file)]
  switch (is) {
    case 'missing':
      return claimsFile(text, names) || citesFile(evidence, file) || claimsTextInFile(text, names, value)
    case 'lacks_value':
      return claimsValue(text, names, value) === 'has' || claimsTextInFile(text, names, value)
    case 'has_value':
      return claimsValue(text, names, value) === 'lacks'
    case 'exists':
      return claimsAbsence(text, names)
    case 'unreadable':
      return (
        claimsContent(text, names) !== null ||
        citesFile(evidence, file) ||
        findLiterals(text).some((one) => claimsTextInFile(text, names, one))
      )
  }
}

/** Whether it claims that the file has, or lacks, a literal that is the value. */
function claimsValue(text: string, names: readonly string[], value: string): 'has' | 'lacks' | null {
  return findLiterals(text).some((literal) => isSame(literal, value)) ? claimsContent(text, names) : null
}

async function toFileFinding(failed: FailedCheck, scene: CheckContext): Promise<FileFinding | null> {
  const { check } = failed
  const file = findCheckFile(check)
  if (file === null) return null
  if (check.type === 'file_absent') return { file, is: 'exists', value: '', failed }
  const located = await locateOutput(file, scene)
  const value = findCheckLiteral(check)
  if (located.status === 'missing')
    return (await isNowhere(file, scene)) ? { file, is: 'missing', value: value ?? '', failed } : null
  const closed = failed.unreadable ? ({ file, is: 'unreadable', value: '', failed } as const) : null
  if (located.status === 'undecided') return closed
  const read = await readTextOnce({ file: located.file, name: located.path }, scene)
  if (read.status === 'unreadable') return closed
  if (read.status !== 'text' || value === null) return null
  const holds = holdsValue(read.text, value)
  if (check.type === 'not_contains') return holds ? { file, is: 'has_value', value, failed } : null
  return holds ? null : { file, is: 'lacks_value', value, failed }
}

/** The one file that the check is about; null: none, or several. */
function findCheckFile(check: Check): string | null {
  if (!('path' in check) || check.path === undefined) return null
  const file = normalizeInnerPath(check.path)
  return file === null || file === '' || picomatch.scan(file).isGlob ? null : file
}

/** Whether no judge can have seen the file: it is not an output or input, and was not possibly written and deleted. */
async function isNowhere(file: string, { outputs, leftOut, start, events }: CheckContext): Promise<boolean> {
  if (leftOut.some(isContentUnknown) || start.git !== null || start.setup !== null) return false
  const name = path.posix.basename(storedName(file))
  const known = [...outputs, ...start.files.map((one) => one.path)].map((one) => one.normalize('NFC'))
  if (known.some((one) => one.startsWith(`${file}/`) || path.posix.basename(one) === name)) return false
  const seen = await events().catch(() => [])
  return !seen.some(
    (event) => event.type === 'tool_call' && !readOnlyTools.test(event.name) && mentions(event.input, file),
  )
}

const readOnlyTools = /^(?:read|glob|grep|ls|list|view|search|skill|webfetch|websearch|todowrite)/i

function mentions(input: unknown, file: string): boolean {
  return JSON.stringify(input).normalize('NFC').includes(path.posix.basename(file))
}

function findCheckLiteral(check: Check): string | null {
  switch (check.type) {
    case 'contains':
    case 'not_contains':
      return check.value
    case 'equals':
      return isPlain(check.value) ? String(check.value) : null
    case 'json_path':
      return isPlain(check.equals) ? String(check.equals) : null
    default:
      return null
  }
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Ignores case, typography, white space and number formats. */
function holdsValue(text: string, value: string): boolean {
  if (normalText(text).includes(normalText(value))) return true
  const wanted = parseNumbers(value)
  const [number] = wanted
  if (number === undefined || wanted.length > 1) return false
  return parseNumbers(text).includes(number)
}

function parseNumbers(text: string): number[] {
  const plain = text.replaceAll(/(?<=\d)[,'\u2019\u00a0\u202f_ ](?=\d{3}(?!\d))/g, '')
  return [...plain.matchAll(/\d+(?:\.\d+)?/g)].map(([digits]) => Number(digits))
}

function citesFile(evidence: string, file: string): boolean {
  const name = file.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  return new RegExp(`(?:^|(?:^|[\\s(;,])outputs/)${name}(?::\\d+)?:?\\s*["'\u201c\u2018\`]`).test(evidence)
}

function isSame(literal: string, value: string): boolean {
  return normalText(literal) === normalText(value)
}

function sameStatement(text: string, other: string): boolean {
  const plain = (statement: string) => normalText(statement).replaceAll(/["'.]/g, '')
  return plain(text) === plain(other)
}
