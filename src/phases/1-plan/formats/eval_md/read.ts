/** Parses the text of an EVAL.md into cases and mistakes with their lines, or says why it is not a suite. */
import { isJsonObject, readNonEmptyText } from '../evals_json/fields.ts'
import type { MarkdownFront } from '../markdown/front_matter.ts'
import { type FrontMistake, readFront } from '../markdown/front_matter.ts'
import { normalizeLineEnds } from '../markdown/lines.ts'
import { type EvalMdCase, readEvalMdBody } from './grammar.ts'
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
