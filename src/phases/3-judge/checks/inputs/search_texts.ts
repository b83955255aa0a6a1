/** Reads the texts that contains, not_contains and regex search. */
import { readFile } from 'node:fs/promises'
import type { CheckOf } from '../../../../../schemas/check.ts'
import { type CheckContext, isContentUnknown } from './check_input.ts'
import { locateOutput } from './locate_output.ts'

export interface SearchText {
  /** Its source, as evidence names it. */
  label: string
  text: string
}

export type SearchTexts =
  | { status: 'texts'; texts: SearchText[]; unseen: string[] }
  | { status: 'missing'; evidence: string }
  | { status: 'undecided'; error: string }

/** Reads the texts. `unseen`: outputs that were not collected and may contain a match. */
export async function readSearchTexts(
  where: Pick<CheckOf<'contains'>, 'target' | 'path'>,
  context: CheckContext,
): Promise<SearchTexts> {
  if (where.path !== undefined) {
    const located = await locateOutput(where.path, context)
    if (located.status !== 'found') return located
    return texts([{ label: located.path, text: await readFile(located.file, 'utf8') }])
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

/** Describes the searched places for evidence. */
export function describeSearchPlaces(texts: readonly SearchText[]): string {
  const [only] = texts
  if (texts.length === 1 && only) return `the ${only.label}`
  const files = texts.filter(({ label }) => label !== answerLabel).length
  const words = `${files} text output ${files === 1 ? 'file' : 'files'}`
  return files === texts.length ? words : `the ${answerLabel} and ${words}`
}

const answerLabel = 'final answer'

function finalAnswer({ finalResponse }: CheckContext): SearchText {
  return { label: answerLabel, text: finalResponse }
}

function withAnswer(outputs: SearchTexts, context: CheckContext): SearchTexts {
  return outputs.status === 'texts' ? { ...outputs, texts: [finalAnswer(context), ...outputs.texts] } : outputs
}

function texts(list: SearchText[]): SearchTexts {
  return { status: 'texts', texts: list, unseen: [] }
}

async function outputTexts(context: CheckContext): Promise<SearchTexts> {
  const found: SearchText[] = []
  for (const name of context.outputs) {
    const located = await locateOutput(name, context)
    const text = located.status === 'found' ? decodeUtf8Text(await readFile(located.file)) : null
    if (text !== null) found.push({ label: name, text })
  }
  return { status: 'texts', texts: found, unseen: context.leftOut.filter(isContentUnknown).map((one) => one.path) }
}

function decodeUtf8Text(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
