/** Quotes in a judge's evidence, and where in transcript and outputs they stand. */
import type { PageEvent, PageFile, RunDetail } from '../../schemas/page.ts'

/** Where a quote was found; `span`: exactly there, and nowhere else that reads the same. */
export type Place =
  | { tab: 'transcript'; event: number | null; span: Span | null }
  | { tab: 'outputs' | 'inputs'; file: string; span: Span | null }

/** All of a run that a quote may be of. */
export interface Quotable extends RunDetail {
  inputs: readonly PageFile[]
}

/** Offsets in what is shown, in UTF-16 units. */
export interface Span {
  start: number
  end: number
}

/** Evidence cut into plain parts and quotes. */
export interface Part {
  text: string
  quote: string | null
}

const quoted = /"([^"\n]{3,400})"|“([^”\n]{3,400})”|`([^`\n]{3,400})`|'([^'\n]{6,400})'(?!\w)/g

export function partsOf(evidence: string): Part[] {
  const parts: Part[] = []
  let from = 0
  for (const hit of evidence.matchAll(quoted)) {
    const quote = hit[1] ?? hit[2] ?? hit[3] ?? hit[4] ?? ''
    parts.push({ text: evidence.slice(from, hit.index), quote: null }, { text: hit[0], quote })
    from = hit.index + hit[0].length
  }
  return [...parts, { text: evidence.slice(from), quote: null }].filter(({ text }) => text !== '')
}

/** Finds the words of a text whatever white space is between them; null: no words. */
export function pattern(text: string): RegExp | null {
  const words = text.trim().slice(0, 400).split(/\s+/).filter(Boolean)
  if (words.length === 0) return null
  return new RegExp(words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'), 'gi')
}

/** The first place that reads like a quote: outputs first, because they are what is judged; null: not found. */
export function locate(quote: string, detail: Quotable): Place | null {
  const wanted = pattern(quote)
  if (wanted === null) return null
  const file = detail.outputs.find((one) => one.as === 'text' && has(one.body, wanted))
  if (file !== undefined) return { tab: 'outputs', file: file.path, span: null }
  const named = detail.outputs.find(({ path }) => path === quote)
  if (named !== undefined) return { tab: 'outputs', file: named.path, span: null }
  const texts = [...(detail.events ?? []).map(eventText), detail.transcript ?? '']
  const isSaid = texts.some((text) => has(text, wanted))
  if (isSaid) return { tab: 'transcript', event: null, span: null }
  const given = detail.inputs.find((one) => one.as === 'text' && has(one.body, wanted))
  return given === undefined ? null : { tab: 'inputs', file: given.path, span: null }
}

function has(text: string, wanted: RegExp): boolean {
  wanted.lastIndex = 0
  return wanted.test(text)
}

/** All that an event says, as it is shown. */
export function eventText(event: PageEvent): string {
  const { text, output, message, input } = event
  return [text, output, message, input]
    .flatMap((value) => (value === undefined || value === null ? [] : [asText(value)]))
    .join('\n')
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
