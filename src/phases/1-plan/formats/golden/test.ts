/** One file of golden/<category>/: what the agent is asked and what the judge holds it against. */
import { type ExpectedFact, expectedFact, type Golden } from '../../../../../schemas/golden.ts'
import { readFront } from '../markdown/front.ts'
import { plainText } from '../markdown/lines.ts'
import { type Remark, remarkShared } from './config.ts'
import { readCriteria } from './criteria.ts'
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
      criteria: readCriteria(sections.criteria, dimensions),
      expected_facts: facts,
      notes: sections.notes,
      noted: Object.fromEntries(Object.entries(front.texts).filter(([name]) => name === 'created' || !known.has(name))),
      sources: facts.flatMap(({ source: path }, index) =>
        path === undefined ? [] : [{ path, line: front.at(['expected_facts', index, 'source']).line }],
      ),
    },
  }
}

function factsIn(value: unknown): ExpectedFact[] | null {
  if (value === undefined || value === '' || value === 'null') return []
  const read = expectedFact.array().safeParse(value)
  return read.success ? read.data : null
}
