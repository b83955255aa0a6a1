/** Quotes in a judge's evidence, and where in transcript and outputs they stand. */
import type { PageEvent, RunDetail } from '../../schemas/page.ts'

/** Where a quote was found. */
export type Place = { tab: 'transcript'; event: number } | { tab: 'outputs'; file: string }

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

/** The first place of a quote: outputs first, because they are what is judged; null: not found. */
export function locate(quote: string, detail: RunDetail): Place | null {
  const wanted = pattern(quote)
  if (wanted === null) return null
  const file = detail.outputs.find((one) => one.as === 'text' && has(one.body, wanted))
  if (file !== undefined) return { tab: 'outputs', file: file.path }
  const named = detail.outputs.find(({ path }) => path === quote)
  if (named !== undefined) return { tab: 'outputs', file: named.path }
  const event = lastIndex(detail.events ?? [], (one) => has(eventText(one), wanted))
  if (event >= 0) return { tab: 'transcript', event }
  return detail.transcript !== null && has(detail.transcript, wanted) ? { tab: 'transcript', event: 0 } : null
}

function has(text: string, wanted: RegExp): boolean {
  wanted.lastIndex = 0
  return wanted.test(text)
}

function lastIndex<T>(all: readonly T[], test: (one: T) => boolean): number {
  for (let index = all.length - 1; index >= 0; index -= 1) {
    const one = all[index]
    if (one !== undefined && test(one)) return index
  }
  return -1
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
