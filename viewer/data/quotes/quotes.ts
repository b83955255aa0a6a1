/** Finds quotes in a judge's evidence, and their places in transcript and outputs. */
import type { PageEvent, PageFile, RunDetail } from '../../../schemas/page.ts'

/** Where a quote was found; `span`: only there, not in other places that read the same. */
export type QuotePlace =
  | { tab: 'transcript'; event: number | null; span: CharacterSpan | null }
  | { tab: 'outputs' | 'inputs'; file: string; span: CharacterSpan | null }

/** Everything in a run that a quote may come from. */
export interface Quotable extends RunDetail {
  inputs: readonly PageFile[]
}

/** Offsets in the displayed text, in UTF-16 units. */
export interface CharacterSpan {
  start: number
  end: number
}

/** A part of the evidence; `quote` null: plain text. */
export interface EvidencePart {
  text: string
  quote: string | null
}

const quotedPattern = /"([^"\n]{3,400})"|“([^”\n]{3,400})”|`([^`\n]{3,400})`|'([^'\n]{6,400})'(?!\w)/g

export function splitEvidence(evidence: string): EvidencePart[] {
  const parts: EvidencePart[] = []
  let from = 0
  for (const hit of evidence.matchAll(quotedPattern)) {
    const quote = hit[1] ?? hit[2] ?? hit[3] ?? hit[4] ?? ''
    parts.push({ text: evidence.slice(from, hit.index), quote: null }, { text: hit[0], quote })
    from = hit.index + hit[0].length
  }
  return [...parts, { text: evidence.slice(from), quote: null }].filter(({ text }) => text !== '')
}

/** Matches the words of a text with any white space between them; null: no words. */
export function quotePattern(text: string): RegExp | null {
  const words = text.trim().slice(0, 400).split(/\s+/).filter(Boolean)
  if (words.length === 0) return null
  return new RegExp(words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'), 'gi')
}

/** The first place that reads like the quote, outputs first, because they are judged; null: not found. */
export function locateQuote(quote: string, detail: Quotable): QuotePlace | null {
  const wanted = quotePattern(quote)
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

/** All text of an event, as displayed. */
export function eventText(event: PageEvent): string {
  const { text, output, message, input } = event
  return [text, output, message, input]
    .flatMap((value) => (value === undefined || value === null ? [] : [asText(value)]))
    .join('\n')
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
