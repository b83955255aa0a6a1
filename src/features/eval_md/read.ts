/** Parses the text of an EVAL.md into cases and mistakes with their lines, or says why it is not a suite. */
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import {
  type FrontMistake,
  type MarkdownFront,
  type MarkdownLine,
  markdownLines,
  normalizeLineEnds,
  readFront,
} from '../../phases/1-plan/formats/markdown/lines.ts'
import { type EvalMdSettings, readSettings } from './settings.ts'

export interface EvalMdMistake {
  line: number
  column: number
  message: string
  fix: string | null
}

export type EvalMdReading =
  | { kind: 'suite'; settings: EvalMdSettings; cases: EvalMdCase[]; remarks: { line: number; message: string }[] }
  /** A plain report or an empty file: it has no Prompt or Expect heading, nor an older form of them. */
  | { kind: 'no_suite'; why: string }
  | { kind: 'broken'; mistakes: EvalMdMistake[] }

/** Never throws. */
export function readEvalMd(source: string): EvalMdReading {
  const text = normalizeLineEnds(source)
  const front = readFront(text)
  if (!('fields' in front)) return brokenFront(text, front)
  const { cases, hasSections, remarks } = readEvalMdBody(front.body, front.bodyLine)
  const older = olderForm(front, cases.length)
  if (older !== null) {
    const { line, message, fix } = older
    return { kind: 'broken', mistakes: [{ line, column: 1, message, fix }] }
  }
  if (!hasSections) {
    return {
      kind: 'no_suite',
      why: text.trim() === '' ? 'it is empty' : 'it is a plain report: no Prompt or Expect heading',
    }
  }
  const settings = readSettings(front)
  const mistakes: EvalMdMistake[] = settings.mistakes.map((one) => ({ ...one, fix: null }))
  if (cases.length === 0) {
    const message = 'its sections have no ## heading above them, so there is no case'
    const fix = 'write a line ## <name of the case> above Prompt'
    mistakes.push({ line: remarks[0]?.line ?? 1, column: 1, message, fix })
  }
  if (mistakes.length > 0) return { kind: 'broken', mistakes }
  return { kind: 'suite', settings, cases, remarks }
}

/** A report may begin with a `---` line; a suite with unreadable frontmatter is reported. */
function brokenFront(text: string, { message, at }: FrontMistake): EvalMdReading {
  if (!readEvalMdBody(text, 1).hasSections) {
    return { kind: 'no_suite', why: 'it is a plain report: no Prompt or Expect heading' }
  }
  return {
    kind: 'broken',
    mistakes: [{ ...at, message, fix: 'close it with --- on a line of its own, or fix the YAML' }],
  }
}

/** Recognises the two earlier forms of EVAL.md, which the current grammar reads as a file without cases, and suggests a fix. */
interface OlderForm {
  /** Names the form. */
  message: string
  fix: string
  line: number
}

/** null: the file has the current form. `caseCount`: number of ## headings that are not sections. */
function olderForm({ fields, at }: MarkdownFront, caseCount: number): OlderForm | null {
  if (caseCount > 0) return null
  const name = readNonEmptyText(fields.name)
  if (isJsonObject(fields.expect) || (readNonEmptyText(fields.prompt) !== null && name !== null)) {
    return {
      message: 'this is the first form of EVAL.md (prompt and expect in the frontmatter), which is not read any more',
      fix: `write ## ${name ?? 'a name'}, under it ### Prompt with the frontmatter's prompt, and ### Expect with the body and what expect lists`,
      line: at(['expect']).line,
    }
  }
  if (name === null) return null
  return {
    message: 'this is the second form of EVAL.md (one case, its name in the frontmatter), which is not read any more',
    fix: `delete name from the frontmatter, and write the line ## ${name} above Prompt`,
    line: at(['name']).line,
  }
}

export interface EvalMdCase {
  /** Text of the heading; two cases may share it. */
  name: string
  /** Line of its heading, from 1. */
  line: number
  /** null: the section is missing or empty. */
  prompt: EvalMdSection | null
  expect: EvalMdSection | null
}

interface EvalMdSection {
  text: string
  line: number
}

interface EvalMdBody {
  cases: EvalMdCase[]
  /** Whether there is any Prompt or Expect heading: a file without one is not a suite. */
  hasSections: boolean
  remarks: { line: number; message: string }[]
}

type SectionName = 'prompt' | 'expect'

interface Open {
  body: EvalMdBody
  name: string | null
  line: number
  section: SectionName | null
  sections: Record<SectionName, MarkdownLine[]>
  /** Line of each section's heading. */
  headings: Partial<Record<SectionName, number>>
}

/** Reads the text after the frontmatter; `firstLine`: its first line in the file. */
function readEvalMdBody(text: string, firstLine: number): EvalMdBody {
  const body: EvalMdBody = { cases: [], hasSections: false, remarks: [] }
  const { lines, unclosed } = markdownLines(text, firstLine)
  for (const line of unclosed) remark(body, line, 'this code fence is never closed, so it is read as plain text')
  let open: Open = openEvalMdBody(body, null, firstLine)
  for (const line of lines) {
    const section = line.fenced ? null : sectionMark(line.text)
    const name = line.fenced || section !== null ? null : caseHeading(line.text)
    if (section !== null) beginSection(open, section, line.number)
    else if (name !== null) {
      close(open)
      open = openEvalMdBody(body, name, line.number)
    } else takeLine(open, line)
  }
  close(open)
  body.remarks.sort((a, b) => a.line - b.line)
  return body
}

/** A section heading of any level, in any case: `# prompt`, `### Expect`, `##EXPECT`. */
function sectionMark(line: string): SectionName | null {
  if (!line.startsWith('#')) return null
  const word = line.replace(/^#+/, '').trim().toLowerCase()
  return word === 'prompt' || word === 'expect' ? word : null
}

/** Text of a second-level heading; null: the line is not one. */
function caseHeading(line: string): string | null {
  return /^##[ \t]+(\S.*)$/.exec(line)?.[1]?.trim() ?? null
}

function openEvalMdBody(body: EvalMdBody, name: string | null, line: number): Open {
  return { body, name, line, section: null, sections: { prompt: [], expect: [] }, headings: {} }
}

function beginSection(open: Open, section: SectionName, line: number): void {
  open.body.hasSections = true
  if (open.name === null)
    remark(open.body, line, `this ${section} section comes before the first case, so it is not read`)
  open.section = section
  open.headings[section] ??= line
}

function takeLine(open: Open, line: MarkdownLine): void {
  if (open.section !== null) open.sections[open.section].push(line)
  else if (line.text.trim() !== '' && !(open.name === null && /^#\s/.test(line.text))) {
    const place = open.name === null ? 'before the first case' : `of the case "${open.name}" before its Prompt section`
    remark(open.body, line.number, `text ${place} is not read`)
  }
}

function close(open: Open): void {
  if (open.name === null) return
  const { name, line, body } = open
  body.cases.push({ name, line, prompt: takeSection(open, 'prompt'), expect: takeSection(open, 'expect') })
}

function takeSection({ sections, headings }: Open, name: SectionName): EvalMdSection | null {
  const text = sections[name]
    .map((line) => line.text)
    .join('\n')
    .trim()
  return text === '' ? null : { text, line: headings[name] ?? 1 }
}

/** A paragraph that is not read is reported once, at its first line. */
function remark(body: EvalMdBody, line: number, message: string): void {
  if (body.remarks.at(-1)?.message !== message) body.remarks.push({ line, message })
}
