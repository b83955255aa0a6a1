/** Reads the texts that contains, not_contains and regex search. */
import type { CheckOf } from '../../../../../schemas/check.ts'
import { type NamedFile, readTextOnce } from '../../documents/document_reads.ts'
import { describeUnreadable, readTextsInOrder } from '../../documents/read_documents.ts'
import type { FileText } from '../../documents/read_file_text.ts'
import { type CheckContext, type CheckVerdict, isContentUnknown } from './check_input.ts'
import { decideUnreadable, failUnreadable, formatNames } from './evidence.ts'
import { locateOutput } from './locate_output.ts'

export interface SearchText {
  /** Its source, as evidence names it. */
  label: string
  text: string
}

export type SearchTexts =
  | { status: 'texts'; texts: SearchText[]; unseen: Unseen | null; binaries: string[] }
  | { status: 'missing'; evidence: string }
  | { status: 'undecided'; verdict: CheckVerdict }

/** Outputs that may contain a match, but can not be searched. `byGrader`: only because the grader lacks a reader, or the files. */
export interface Unseen {
  where: string
  byGrader: boolean
}

/**
 * Reads the texts, in NFC. `unseen`: outputs that were not collected or can't be read, with the reason; null: there are none. `binaries`:
 * outputs that have no text.
 */
export async function readSearchTexts(
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
export function decideUnseen(what: string, { where, byGrader }: Unseen): CheckVerdict {
  return byGrader ? { error: `${what} ${where}` } : failUnreadable(`${what} ${where}`)
}

/** Describes the searched places for evidence. */
export function describeSearchPlaces(texts: readonly SearchText[], binaries: readonly string[]): string {
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
