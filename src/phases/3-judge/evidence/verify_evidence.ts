/** Searches a judge's evidence in the files of a run, outputs, transcript and inputs: whether each quote is there, and where. */
import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { EvidencePlace } from '../../../../schemas/evidence.ts'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { withVisibleControls } from '../../../base/text/show_control_characters.ts'
import { decodeText } from '../documents/read_file_text.ts'
import type { IsClaim } from './agent_claims.ts'
import { findExactly, findFuzzily, type QuoteSpan, Searchable } from './find_quote.ts'
import { normalText } from './normalize_text.ts'

/** A text file of the run, read and normalised on first use. */
export interface EvidenceFile {
  /** Relative to the run's folder. */
  path: string
  /** null: not text, or not to be read. */
  load: () => Searchable | null
}

export interface EvidenceContext {
  files: readonly EvidenceFile[]
  /** Texts that the judge was given (expectation, task); a quote of them is not evidence and is skipped. */
  given: readonly string[]
  /** Recognises the agent's claims about its own work; absent: nothing counts as a claim. */
  isClaim?: IsClaim
}

export interface EvidenceCheck {
  /** claim: found, but all quotes are claims of the agent about its own work. */
  verified: 'exact' | 'fuzzy' | 'claim' | 'absent' | 'not_a_quote'
  at: EvidencePlace | null
  missing: string[]
  /** If something is missing: files that the evidence names but that are not text, so they were not searched. */
  unread?: string[]
}

export function verifyEvidence(evidence: string, { files, given, isClaim = noClaim }: EvidenceContext): EvidenceCheck {
  const { readings, bare } = readQuotes(evidence)
  const ordered = [...files].sort((a, b) => mentions(evidence, b.path) - mentions(evidence, a.path))
  const told = given.map(normalText)
  let best: EvidenceCheck = { verified: 'not_a_quote', at: null, missing: [] }
  for (const reading of readings) {
    const check = verifyQuotes(reading, { files: ordered, given: told, isClaim })
    if (best.verified !== 'exact' && rank[check.verified] >= rank[best.verified]) best = check
  }
  if (best.verified === 'absent') return { ...best, unread: findUnreadFiles(evidence, files) }
  if (best.verified !== 'not_a_quote') return best
  return bare.map((text) => bareQuote(text, ordered, isClaim)).find((check) => check !== null) ?? best
}

const noClaim: IsClaim = () => false
const rank = { exact: 4, fuzzy: 3, claim: 2, absent: 1, not_a_quote: 0 }

/** Minimum length at which evidence without marks counts as a quote. */
const shortestBare = 12

function bareQuote(text: string, files: readonly EvidenceFile[], isClaim: IsClaim): EvidenceCheck | null {
  if (normalText(text).length < shortestBare) return null
  const found = search(text, files, { find: findExactly, isClaim })
  return found && { verified: found.isClaim ? 'claim' : 'exact', at: found.place, missing: [] }
}

/** `given`: normalised. */
function verifyQuotes(quotes: QuoteReading, { files, given, isClaim }: Required<EvidenceContext>): EvidenceCheck {
  const check: EvidenceCheck = { verified: 'not_a_quote', at: null, missing: [] }
  const claims: EvidencePlace[] = []
  for (const quote of quotes) {
    const exact = search(quote, files, { find: findExactly, isClaim })
    const found = exact ?? search(quote, files, { find: findFuzzily, isClaim })
    if (found === null && given.some((text) => text.includes(normalText(quote)))) continue
    if (found === null) check.missing.push(quote)
    if (found?.isClaim) {
      claims.push(found.place)
      continue
    }
    check.at ??= found?.place ?? null
    const how = exact === null ? 'fuzzy' : 'exact'
    if (check.verified !== 'fuzzy') check.verified = how
  }
  if (check.missing.length > 0) return { ...check, at: check.at ?? claims[0] ?? null, verified: 'absent' }
  const [claim] = claims
  return check.verified === 'not_a_quote' && claim ? { verified: 'claim', at: claim, missing: [] } : check
}

interface Search {
  find: (quote: string, text: Searchable) => QuoteSpan | null
  isClaim: IsClaim
}

/** The first place that is not a claim of the agent, or else the first. */
function search(
  quote: string,
  files: readonly EvidenceFile[],
  { find, isClaim }: Search,
): { place: EvidencePlace; isClaim: boolean } | null {
  let claim: EvidencePlace | null = null
  for (const file of files) {
    const text = file.load()
    const span = text && find(quote, text)
    if (!text || !span) continue
    const place = { file: file.path, line: findLineNumber(text.text, span.start), ...span }
    if (!isClaim(quote, { file: file.path, text: text.text, span })) return { place, isClaim: false }
    claim ??= place
  }
  return claim && { place: claim, isClaim: true }
}

function findUnreadFiles(evidence: string, files: readonly EvidenceFile[]): string[] {
  return files.filter((file) => mentions(evidence, file.path) > 0 && file.load() === null).map((file) => file.path)
}

/** From 1. */
export function findLineNumber(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

function mentions(evidence: string, file: string): number {
  return evidence.includes(file) ? 2 : evidence.includes(file.slice(file.lastIndexOf('/') + 1)) ? 1 : 0
}

/** One interpretation of the evidence as quotes; nested marks allow several. */
type QuoteReading = readonly string[]

interface QuotedEvidence {
  /** Possible interpretations; empty: nothing is marked as a quote. */
  readings: QuoteReading[]
  /** The text itself as a quote without marks, preceded by a version without its place, if any. */
  bare: string[]
}

const pairs = [
  /```[^\n]*\n([\s\S]*?)```/g,
  /\u201c([^\u201c\u201d]{2,})\u201d/g,
  /\u201e([^\u201c\u201d\u201e]{2,})[\u201c\u201d]/g,
  /\u00ab([^\u00ab\u00bb]{2,})\u00bb/g,
  /(?<![\p{L}\p{N}])"((?:\\.|[^"\\]){2,})"/gu,
  /(?<![\p{L}\p{N}])['\u2018]((?:[^'\u2018\u2019\n]|(?<=\p{L})['\u2019](?=\p{L})){2,})['\u2019](?![\p{L}\p{N}])/gu,
]

const block = /^[ \t]*>[ \t]?(.*(?:\n[ \t]*>.*)*)/gm
const code = /`([^`\n]{2,})`/g
const place = /^\s*[\w./ -]{1,200}\.\w{1,8}:\s*(?:(?:line\s+)?(\d+)\s*[:,]\s*)?/i
const isPath = /^(?:[\w.@-]+\/[\w./@-]*|[\w.@-]+\.[a-z]\w{0,4})$/i

function readQuotes(evidence: string): QuotedEvidence {
  const found = worthwhile(matchPatterns(evidence, [...pairs, block]))
  const marked = found.length > 0 ? found : worthwhile(matchPatterns(evidence, [code]))
  const outer = /"([\s\S]{2,})"/.exec(evidence)?.[1]
  const nested = outer !== undefined && /["\u201c]/.test(outer) ? [[outer]] : []
  const behind = place.exec(evidence)
  const rest = behind === null ? null : evidence.slice(behind[0].length)
  const isLine = rest !== null && behind?.[1] !== undefined && marked.length === 0
  return {
    readings: isLine ? [[rest]] : marked.length > 0 ? [...nested, marked] : [],
    bare: rest === null ? [evidence] : [rest, evidence],
  }
}

/** In text order; the inside of a match is not searched again. */
function matchPatterns(text: string, patterns: readonly RegExp[]): string[] {
  const found: { at: number; quote: string }[] = []
  let rest = text
  for (const pattern of patterns) {
    rest = rest.replace(pattern, (whole: string, quote: string, ...more: unknown[]) => {
      const at = more.find((one) => typeof one === 'number') ?? 0
      found.push({ at, quote })
      return '\u0000'.repeat(whole.length)
    })
  }
  return found.sort((a, b) => a.at - b.at).map(({ quote }) => quote)
}

/** Drops file names, which tell the place of a quote, and single letters. */
function worthwhile(quotes: readonly string[]): string[] {
  return quotes.filter((quote) => !isPath.test(quote.trim()) && (quote.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2)
}

export interface EvidenceSources {
  runFolder: string
  /** The case's prompt, which begins the transcript; a quote of it is not evidence. */
  prompt: string
  outputs: readonly WalkedFile[]
  inputs: readonly WalkedFile[]
  /** Texts of documents, by their names (`outputs/…`, `inputs/…`). */
  texts: ReadonlyMap<string, string>
}

/** Bytes; larger files are not read. */
const largest = 32 * 2 ** 20

/** Lists outputs first, because they are the best evidence about a file. Files are read on demand. */
export function evidenceFiles({ runFolder, prompt, outputs, inputs, texts }: EvidenceSources): EvidenceFile[] {
  const of = (folder: string) => (file: WalkedFile) => {
    const name = `${folder}/${file.path}`
    return lazy(name, () => texts.get(name) ?? readEvidenceText(file.source))
  }
  const readTranscript = () => readEvidenceText(path.join(runFolder, 'transcript.md'))
  const transcript = lazy('transcript.md', readTranscript, (text) => {
    const head = `## Eval Prompt\n\n${withVisibleControls(prompt)}\n`
    return text.startsWith(head) ? head.length : 0
  })
  return [...outputs.map(of('outputs')), transcript, ...inputs.map(of('inputs'))]
}

function lazy(name: string, read: () => string | null, from: (text: string) => number = () => 0): EvidenceFile {
  let loaded: Searchable | null | undefined
  return {
    path: name,
    load: () => {
      if (loaded !== undefined) return loaded
      const text = read()
      loaded = text === null ? null : new Searchable(text, from(text))
      return loaded
    },
  }
}

function readEvidenceText(file: string): string | null {
  try {
    if (statSync(file).size > largest) return null
    const bytes = readFileSync(file)
    const hasZeros = bytes.subarray(0, 8192).includes(0)
    if (!hasZeros && isUtf8(bytes)) return bytes.toString('utf8') // with its byte order mark, so that offsets stay those of the file
    return decodeText(bytes) ?? (hasZeros ? null : bytes.toString('utf8'))
  } catch {
    return null // a file that has disappeared contains no evidence
  }
}
