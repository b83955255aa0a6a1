/** Reads one file of golden/<category>/: the agent's task and what the judge compares the answer with. */
import { type ExpectedFact, expectedFact, type Golden } from '../../../../../schemas/golden.ts'
import { type MarkdownFront, readFront } from '../markdown/front_matter.ts'
import { normalizeLineEnds } from '../markdown/lines.ts'
import { remarkSharedFields } from './config.ts'
import { isThreshold, readCriteria } from './criteria.ts'
import { bulletSlip } from './dimensions.ts'
import { fieldSlips, misspellingText, type Remark } from './names.ts'
import { findMisspeltSection, type GoldenSections, goldenSections } from './sections.ts'

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
