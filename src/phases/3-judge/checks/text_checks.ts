/** Checks of texts: contains, not_contains, regex, equals. */
import { isDeepStrictEqual } from 'node:util'
import type { CheckOf } from '../../../../schemas/check.ts'
import { findPattern } from '../../../base/process/find_pattern.ts'
import { describeUnreadable, type NamedFile, readTextOnce, readTextsInOrder } from '../documents/document_reads.ts'
import type { FileText } from '../documents/read_file_text.ts'
import {
  type CheckContext,
  type CheckVerdict,
  capText,
  decideUnreadable,
  describeUnfinished,
  failUnreadable,
  formatNames,
  isContentUnknown,
  quoteLine,
} from './inputs/check_input.ts'
import { type CheckSource, composeTexts, locateOutput, parseSource, readSource } from './inputs/locate_output.ts'
import { isNear, parseNumber } from './inputs/range.ts'

type TextCheck = CheckOf<'contains'> | CheckOf<'not_contains'>

/** A text occurs in the answer, the outputs or the transcript. */
export async function decideContains(check: CheckOf<'contains'>, context: CheckContext): Promise<CheckVerdict> {
  return decideTextSearch(check, context, true)
}

/** Quotes the line with the text, or says that it is missing. `wanted`: whether a match passes. */
async function decideTextSearch(check: TextCheck, context: CheckContext, wanted: boolean): Promise<CheckVerdict> {
  const where = await readSearchTexts(check, context)
  if (where.status === 'undecided') return where.verdict
  if (where.status === 'missing') return { passed: false, evidence: where.evidence }
  const value = check.value.normalize('NFC')
  for (const one of where.texts) {
    const index = findTextIndex(one, { value, ignore_case: check.ignore_case })
    if (index >= 0) return { passed: wanted, evidence: quoteLine(one.label, one.text, index) }
  }
  if (where.unseen !== null) return decideUnseen('the text may be in', where.unseen)
  const start = where.texts.length === 1 ? `; it begins "${capText(where.texts[0]?.text ?? '', 120)}"` : ''
  return {
    passed: !wanted,
    evidence: `"${capText(check.value, 120)}" is not in ${describeSearchPlaces(where.texts, where.binaries)}${start}`,
  }
}

function findTextIndex({ text }: SearchText, { value, ignore_case }: Pick<TextCheck, 'value' | 'ignore_case'>): number {
  if (!ignore_case) return text.indexOf(value)
  const index = text.toLowerCase().indexOf(value.toLowerCase())
  return Math.min(index, text.length) // lower case may be longer by a character or two
}

/**
 * A text does not occur in the answer, the outputs or the transcript.
 * Fails if the named file is missing, because there is nothing in which the text could be absent.
 */
export async function decideNotContains(check: CheckOf<'not_contains'>, context: CheckContext): Promise<CheckVerdict> {
  return decideTextSearch(check, context, false)
}

/** A JavaScript regular expression matches in the answer, the outputs or the transcript. */
export async function decideRegex(check: CheckOf<'regex'>, context: CheckContext): Promise<CheckVerdict> {
  const where = await readSearchTexts(check, context)
  if (where.status === 'undecided') return where.verdict
  if (where.status === 'missing') return { passed: false, evidence: where.evidence }
  const pattern = check.pattern.normalize('NFC')
  const texts = where.texts.map(({ text }) => text)
  const end = await findPattern({ pattern, flags: check.flags }, texts, context.signal)
  if ('error' in end) return describeUnfinished(`the pattern /${capText(check.pattern, 120)}/`, end)
  const found = where.texts[end.value.index]
  const isAbsent = check.absent === true
  if (found) return { passed: !isAbsent, evidence: quoteLine(found.label, found.text, end.value.at) }
  if (where.unseen !== null) return decideUnseen('the pattern may match in', where.unseen)
  return {
    passed: isAbsent,
    evidence: `/${capText(check.pattern, 120)}/ matches nothing in ${describeSearchPlaces(where.texts, where.binaries)}`,
  }
}

/** The final answer, or an output file, equals this text, this number or this JSON. */
export async function decideEquals(check: CheckOf<'equals'>, context: CheckContext): Promise<CheckVerdict> {
  const source = await readSource(check.path, context)
  if ('verdict' in source) return source.verdict
  const { value } = check
  if (typeof value === 'string') return asText(source, value, check.ignore_case === true)
  if (typeof value === 'number') return asNumber(source, value, check.tolerance ?? 0)
  const parsed = parseSource(source)
  if ('mistake' in parsed) return { passed: false, evidence: capText(parsed.mistake) }
  const said = `${source.label}: ${capText(JSON.stringify(parsed.value))}`
  return isDeepStrictEqual(composeTexts(parsed.value), composeTexts(value))
    ? { passed: true, evidence: said }
    : { passed: false, evidence: `${said}, not ${capText(JSON.stringify(value))}` }
}

/** Ignores white space at both ends and the kind of line ends. */
function asText({ label, text }: CheckSource, wanted: string, ignoreCase: boolean): CheckVerdict {
  const plain = (one: string) =>
    one
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
      .trim()
      .normalize('NFC')
  const [is, want] = [text, wanted].map((one) => (ignoreCase ? plain(one).toLowerCase() : plain(one)))
  const said = `${label}: "${capText(text.trim(), 200)}"`
  if (is === want) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not "${capText(wanted.trim(), 200)}"` }
}

function asNumber({ label, fenced }: CheckSource, wanted: number, tolerance: number): CheckVerdict {
  const said = `${label}: "${capText(fenced.trim(), 200)}"`
  const number = parseNumber(fenced)
  if (number === null) return { passed: false, evidence: `${said} is not a number` }
  const off = tolerance === 0 ? '' : ` ± ${tolerance}`
  return isNear(number, wanted, tolerance)
    ? { passed: true, evidence: said }
    : { passed: false, evidence: `${said}, not ${wanted}${off}` }
}

interface SearchText {
  /** Its source, as evidence names it. */
  label: string
  text: string
}

type SearchTexts =
  | { status: 'texts'; texts: SearchText[]; unseen: Unseen | null; binaries: string[] }
  | { status: 'missing'; evidence: string }
  | { status: 'undecided'; verdict: CheckVerdict }

/** Outputs that may contain a match, but can not be searched. `byGrader`: only because the grader lacks a reader, or the files. */
interface Unseen {
  where: string
  byGrader: boolean
}

/**
 * Reads the texts, in NFC. `unseen`: outputs that were not collected or can't be read, with the reason; null: there are none. `binaries`:
 * outputs that have no text.
 */
async function readSearchTexts(
  where: Pick<CheckOf<'contains'>, 'target' | 'path'>,
  context: CheckContext,
): Promise<SearchTexts> {
  if (where.path !== undefined) {
    const located = await locateOutput(where.path, context)
    if (located.status !== 'found') return located
    const read = await readTextOnce({ file: located.file, name: located.path }, context)
    if (read.status === 'text') return texts([{ label: located.path, text: read.text }])
    return { status: 'undecided', verdict: decideUnreadable(located.path, read) }
  }
  switch (where.target ?? 'answer') {
    case 'answer':
      return texts([finalAnswer(context)])
    case 'transcript':
      return texts([{ label: 'transcript.md', text: await context.transcript() }])
    case 'outputs':
      return outputTexts(context)
    case 'answer_or_outputs':
      return withAnswer(await outputTexts(context), context)
  }
}

/** The verdict where the rest has no match. `what`: such as "the text may be in". */
function decideUnseen(what: string, { where, byGrader }: Unseen): CheckVerdict {
  return byGrader ? { error: `${what} ${where}` } : failUnreadable(`${what} ${where}`)
}

function describeSearchPlaces(texts: readonly SearchText[], binaries: readonly string[]): string {
  const searched = nameTexts(texts)
  return binaries.length === 0
    ? searched
    : `${searched} (not searched, because they have no text: ${formatNames(binaries)})`
}

function nameTexts(texts: readonly SearchText[]): string {
  const [only] = texts
  if (texts.length === 1 && only) return `the ${only.label}`
  const files = texts.filter(({ label }) => label !== answerLabel).length
  const words = `${files} text output ${files === 1 ? 'file' : 'files'}`
  return files === texts.length ? words : `the ${answerLabel} and ${words}`
}

const answerLabel = 'final answer'

function finalAnswer({ finalResponse, answerLabel: label = answerLabel }: CheckContext): SearchText {
  return { label, text: finalResponse }
}

function withAnswer(outputs: SearchTexts, context: CheckContext): SearchTexts {
  return outputs.status === 'texts' ? { ...outputs, texts: [finalAnswer(context), ...outputs.texts] } : outputs
}

function texts(list: readonly SearchText[], more: { unseen?: Unseen | null; binaries?: string[] } = {}): SearchTexts {
  const composed = list.map(({ label, text }) => ({ label, text: text.normalize('NFC') }))
  return { status: 'texts', texts: composed, unseen: null, binaries: [], ...more }
}

async function outputTexts(context: CheckContext): Promise<SearchTexts> {
  const found: SearchText[] = []
  const unread: string[] = []
  let isAnyBroken = false
  const binaries: string[] = []
  const files: NamedFile[] = []
  for (const name of context.outputs) {
    const located = await locateOutput(name, context)
    if (located.status === 'found') files.push({ name, file: located.file })
  }
  const take = (name: string, read: FileText) => {
    if (read.status === 'text') found.push({ label: name, text: read.text })
    else if (read.status === 'binary') binaries.push(name)
    else unread.push(describeUnreadable(name, read))
    isAnyBroken ||= read.status === 'unreadable'
  }
  await readTextsInOrder(files, take, context)
  const uncollected = context.leftOut.filter(isContentUnknown).map((one) => one.path)
  const left = uncollected.length === 0 ? [] : [`files that were not collected: ${formatNames(uncollected)}`]
  const closed = unread.length === 0 ? [] : [`files that could not be read: ${formatNames(unread)}`]
  const where = [...left, ...closed].join('; or in ')
  const isUnknown = context.record.observed === true && uncollected.includes('.')
  const byGrader = isUnknown || (left.length === 0 && !isAnyBroken)
  return texts(found, { unseen: where === '' ? null : { where, byGrader }, binaries })
}
