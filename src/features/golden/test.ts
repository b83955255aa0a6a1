/** Reads one file of golden/<category>/: the agent's task and what the judge compares the answer with. */
import { type ExpectedFact, expectedFact, type Golden, type GoldenCriteria } from '../../../schemas/golden.ts'
import { dimensionKey } from '../../../schemas/rubric.ts'
import { findMisspelling } from '../../base/text/did_you_mean.ts'
import {
  type MarkdownFront,
  markdownLines,
  normalizeLineEnds,
  readFront,
} from '../../phases/1-plan/formats/markdown/lines.ts'
import { bulletSlip, fieldSlips, misspellingText, type Remark, remarkSharedFields } from './config.ts'

export type GoldenTest = Omit<Golden, 'rubric' | 'judge'> & {
  /** The agent's own files that the test names as sources; relative, as written. */
  sources: { path: string; line: number }[]
  /** `created` and unknown fields: kept, but not read. */
  noted: Readonly<Record<string, unknown>>
}

export type GoldenReading =
  | { ok: true; test: GoldenTest }
  /** Why the file is skipped. */
  | { ok: false; line: number; column: number; message: string }

const factFields = new Set(Object.keys(expectedFact.shape))
const known = new Set(['schema_version', 'agent', 'category', 'test_id', 'created', 'expected_facts'])

export interface GoldenPlace {
  /** Name of the agent's folder. */
  agent: string
  /** Subfolder of golden/ that contains the file; null: golden/ itself. */
  folder: string | null
  /** Names of the rubric's dimensions. */
  dimensions: readonly string[]
}

/** Never throws: an unreadable file is skipped, and the others continue. */
export function readGoldenTest(
  source: string,
  { agent, folder, dimensions }: GoldenPlace,
  remark: Remark,
): GoldenReading {
  const front = readFront(normalizeLineEnds(source))
  if (!('fields' in front)) return { ok: false, message: front.message, ...front.at }
  const sections = goldenSections(front.body, front.bodyLine)
  const slip = findNameSlip(front, sections, remark)
  if (slip !== null) return { ok: false, column: 1, ...slip }
  const text = (field: string) => {
    const value = front.texts[field]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  }
  const [test_id, category] = [text('test_id'), text('category')]
  const missing = [test_id === null && 'test_id', category === null && 'category'].filter(Boolean)
  if (test_id === null || category === null) {
    return { ok: false, line: 1, column: 1, message: `the frontmatter has no ${missing.join(' and no ')}` }
  }
  if (/[/\\\0]|^\.\.?$/.test(test_id)) {
    return { ok: false, message: 'test_id names the file of the response: no / and no \\', ...front.at(['test_id']) }
  }
  for (const { heading, line } of sections.unknown) remark(line, `the section "${heading}" is not known and not read`)
  remarkSharedFields(front, agent, remark)
  if (folder !== null && category !== folder) {
    remark(front.at(['category']).line, `its category is ${category}, but it is in golden/${folder}`)
  }
  const criteria = readCriteria(sections.criteria, dimensions)
  const lost = findBulletSlip(front, { bullets: criteria.left_to_judge, dimensions }, remark)
  if (lost !== null) return { ok: false, column: 1, ...lost }
  if (sections.input === '') {
    return { ok: false, line: front.bodyLine, column: 1, message: 'there is no ## Input, or nothing in it' }
  }
  const facts = parseFacts(front.texts.expected_facts)
  if (facts === null) {
    return { ok: false, message: 'expected_facts must be a list, each with a claim', ...front.at(['expected_facts']) }
  }
  return {
    ok: true,
    test: {
      test_id,
      category,
      input: sections.input,
      setup: sections.setup,
      expected_behavior: sections.expected,
      pass_criteria: sections.criteria,
      criteria,
      expected_facts: facts,
      notes: sections.notes,
      noted: Object.fromEntries(Object.entries(front.texts).filter(([name]) => name === 'created' || !known.has(name))),
      sources: facts.flatMap(({ source: path }, index) =>
        path === undefined ? [] : [{ path, line: front.at(['expected_facts', index, 'source']).line }],
      ),
    },
  }
}

/** The first misspelt section, or else the first misspelt field, because its content would be lost. */
function findNameSlip(
  front: MarkdownFront,
  { unknown }: GoldenSections,
  remark: Remark,
): { line: number; message: string } | null {
  for (const { heading, line } of unknown) {
    const meant = findMisspeltSection(heading)
    if (meant !== null) return { line, message: misspellingText(`the section "${heading}"`, meant) }
  }
  const facts = Array.isArray(front.fields.expected_facts) ? front.fields.expected_facts : []
  const ofFacts = facts.map((_, index) => ({ path: ['expected_facts', index], known: factFields }))
  const [slip] = [{ known }, ...ofFacts].flatMap((object) => fieldSlips(front, object, remark))
  return slip === undefined ? null : { line: front.at(slip.path).line, message: slip.message }
}

/** First bullet that demands a score of a misspelt dimension; a name near no dimension only causes a remark. */
function findBulletSlip(
  front: MarkdownFront,
  { bullets, dimensions }: { bullets: readonly string[]; dimensions: readonly string[] },
  remark: Remark,
): { line: number; message: string } | null {
  for (const bullet of bullets.filter(isThreshold)) {
    const line = findBulletLine(front, bullet)
    const message = bulletSlip(bullet, dimensions)
    if (message !== null) return { line, message }
    const all = dimensions.join(', ')
    remark(line, `the bullet "${bullet}" names no dimension of the rubric (${all}): no code decides it`)
  }
  return null
}

/** Finds the line of a bullet, which `readCriteria` returns without its marker. */
function findBulletLine({ body, bodyLine }: MarkdownFront, bullet: string): number {
  const index = body.split('\n').findIndex((line) => line.replaceAll(/[*`]/g, '').trim().endsWith(bullet))
  return bodyLine + Math.max(index, 0)
}

function parseFacts(value: unknown): ExpectedFact[] | null {
  if (value === undefined || value === '' || value === 'null') return []
  const read = expectedFact.array().safeParse(value)
  return read.success ? read.data : null
}

/** Bullets that code cannot decide go to the judge, who reads the section as written. */
export function readCriteria(section: string, dimensions: readonly string[]): GoldenCriteria {
  const criteria: GoldenCriteria = { thresholds: [], no_hard_fails: false, left_to_judge: [] }
  for (const line of section.split('\n')) {
    const bullet = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line)?.[1]?.replaceAll(/[*`]/g, '').trim()
    if (bullet === undefined || bullet === '') continue
    const threshold = parseThreshold(bullet, dimensions)
    if (threshold !== null) criteria.thresholds.push(threshold)
    else if (/^no hard[- ]fails?\b/i.test(bullet)) criteria.no_hard_fails = true
    else criteria.left_to_judge.push(bullet)
  }
  return criteria
}

/** `dim: ≥ 4 (…)`, `dim >= 4`, `dim: 5 (…)`: the last is also a minimum, since 5 is the maximum. */
function parseThreshold(bullet: string, dimensions: readonly string[]): GoldenCriteria['thresholds'][number] | null {
  const [, name = '', sign = '', score = ''] =
    /^([\p{L}][\p{L}\p{N} _-]*?)\s*:?\s*(≥|>=|=>|>|=|==|at least)?\s*(\d(?:\.\d+)?)(?![\d.]*\d)/iu.exec(bullet) ?? []
  const key = dimensionKey(name)
  const dimension = dimensions.find((one) => dimensionKey(one) === key)
  if (dimension === undefined) return null
  const isMore = sign === '>'
  return { dimension, at_least: Number(score), ...(isMore && { more: true as const }), text: bullet }
}

/** `elegance: ≥ 4` demands a score under any name; `Mentions 4 cards` does not. */
function isThreshold(bullet: string): boolean {
  return /^[\p{L}\p{N} _-]+?\s*(?::\s*)?(?:≥|>=|=>|>|==|=|at least)\s*\d|^[\p{L}\p{N}_-]+:\s*\d/iu.test(bullet)
}

const names = ['setup', 'input', 'expected behavior', 'expected behaviour', 'pass criteria', 'notes'] as const

interface GoldenSections {
  setup: string
  input: string
  expected: string
  criteria: string
  notes: string
  /** Unknown headings with their lines. */
  unknown: { heading: string; line: number }[]
}

/** `Expected behavior (the judge evaluates against this)` is Expected behavior; ## in a code fence is not a heading. */
export function goldenSections(body: string, firstLine: number): GoldenSections {
  const found = new Map<string, string[]>()
  const unknown: GoldenSections['unknown'] = []
  let open: string[] | null = null
  for (const { text, number, fenced } of markdownLines(body, firstLine).lines) {
    const heading = fenced ? null : (/^##[ \t]+(.*)$/.exec(text)?.[1] ?? null)
    if (heading === null) open?.push(text)
    else {
      const name = readSectionName(heading)
      if (name === null) unknown.push({ heading: heading.trim(), line: number })
      open = name === null ? [] : (found.get(name) ?? [])
      if (name !== null) found.set(name, open)
    }
  }
  const textOf = (...wanted: string[]) =>
    wanted
      .flatMap((name) => found.get(name) ?? [])
      .join('\n')
      .trim()
  return {
    setup: textOf('setup'),
    input: textOf('input'),
    expected: textOf('expected behavior', 'expected behaviour'),
    criteria: textOf('pass criteria'),
    notes: textOf('notes'),
    unknown,
  }
}

/** The section that a misspelt heading resolves to, whatever follows its name; null: none. */
export function findMisspeltSection(heading: string): string | null {
  const plain = heading.replaceAll(/[*_`]/g, '').trim()
  const [name = ''] = plain.split(/\s*[([:,–—]|\s-\s/)
  const firstTwo = plain.split(/\s+/).slice(0, 2).join(' ')
  return findMisspelling(name, names) ?? findMisspelling(firstTwo, names)
}

function readSectionName(heading: string): string | null {
  const plain = heading.replaceAll(/[*_`]/g, '').trim().toLowerCase()
  return names.find((name) => plain.startsWith(name) && !/^\w/.test(plain.slice(name.length))) ?? null
}
