/** One file of golden/<category>/: what the agent is asked and what the judge holds it against. */
import { type ExpectedFact, expectedFact, type Golden } from '../../../../../schemas/golden.ts'
import { isObject } from '../evals_json/fields.ts'
import { type Front, readFront } from '../markdown/front.ts'
import { plainText } from '../markdown/lines.ts'
import { type Remark, remarkShared } from './config.ts'
import { isThreshold, readCriteria } from './criteria.ts'
import { goldenSections } from './sections.ts'

export type GoldenTest = Omit<Golden, 'rubric' | 'judge'> & {
  /** Folders of the agent's own that the test says it needs; relative, as written. */
  sources: { path: string; line: number }[]
  /** created, and fields that nobody knows: kept, not read. */
  noted: Readonly<Record<string, unknown>>
}

export type GoldenReading =
  | { ok: true; test: GoldenTest }
  /** Why the file is skipped. */
  | { ok: false; line: number; column: number; message: string }

const factFields = new Set(Object.keys(expectedFact.shape))
const known = new Set(['schema_version', 'agent', 'category', 'test_id', 'created', 'expected_facts'])

export interface GoldenPlace {
  /** The name of the agent's folder. */
  agent: string
  /** Of golden/ that the file lies in; null: in golden/ itself. */
  folder: string | null
  /** Of the rubric. */
  dimensions: readonly string[]
}

/** Never throws: a file that can't be read is skipped, the others go on. */
export function readGoldenTest(
  source: string,
  { agent, folder, dimensions }: GoldenPlace,
  remark: Remark,
): GoldenReading {
  const front = readFront(plainText(source))
  if (!('fields' in front)) return { ok: false, message: front.message, ...front.at }
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
  const sections = goldenSections(front.body, front.bodyLine)
  for (const { heading, line } of sections.unknown) remark(line, `the section "${heading}" is not known and not read`)
  remarkShared(front, agent, remark)
  if (folder !== null && category !== folder) {
    remark(front.at(['category']).line, `its category is ${category}, and it lies in golden/${folder}`)
  }
  for (const name of Object.keys(front.fields)) {
    if (!known.has(name)) remark(front.at([name]).line, `the field ${name} is not known and not read`)
  }
  remarkFacts(front, remark)
  const criteria = readCriteria(sections.criteria, dimensions)
  for (const bullet of criteria.left_to_judge.filter(isThreshold)) {
    const known = dimensions.join(', ')
    remark(
      lineOf(front, bullet),
      `the bullet "${bullet}" names no dimension of the rubric (${known}): no code decides it`,
    )
  }
  if (sections.input === '') {
    return { ok: false, line: front.bodyLine, column: 1, message: 'there is no ## Input, or nothing in it' }
  }
  const facts = factsIn(front.texts.expected_facts)
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

/** Of a bullet, which readCriteria gives without what marks it. */
function lineOf({ body, bodyLine }: Front, bullet: string): number {
  const index = body.split('\n').findIndex((line) => line.replaceAll(/[*`]/g, '').trim().endsWith(bullet))
  return bodyLine + Math.max(index, 0)
}

function remarkFacts({ texts, at }: Front, remark: Remark): void {
  const facts = Array.isArray(texts.expected_facts) ? texts.expected_facts : []
  for (const [index, fact] of facts.entries()) {
    for (const name of Object.keys(isObject(fact) ? fact : {})) {
      if (factFields.has(name)) continue
      remark(at(['expected_facts', index, name]).line, `the field ${name} of a fact is not known and not read`)
    }
  }
}

function factsIn(value: unknown): ExpectedFact[] | null {
  if (value === undefined || value === '' || value === 'null') return []
  const read = expectedFact.array().safeParse(value)
  return read.success ? read.data : null
}
