/** Parses the body of an EVAL.md: each ## heading is a case, its Prompt and Expect sections are the task and the rubric. */
import { type MarkdownLine, markdownLines } from '../markdown/lines.ts'

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

export interface EvalMdBody {
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
export function readEvalMdBody(text: string, firstLine: number): EvalMdBody {
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
  else if (open.name !== null && line.text.trim() !== '') {
    remark(open.body, line.number, `text of the case "${open.name}" before its Prompt section is not read`)
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
