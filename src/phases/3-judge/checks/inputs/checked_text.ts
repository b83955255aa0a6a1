/** Reads the one text that a check looks at: an output file, or the final answer. */
import { readFile } from 'node:fs/promises'
import { errorMessage } from '../../../../base/errors/error.ts'
import { parseJson } from '../../../../base/json/json.ts'
import { decodeText } from '../../documents/decode_text.ts'
import { findDocumentReader } from '../../documents/document_formats.ts'
import { readTextOnce } from '../../documents/document_reads.ts'
import type { CheckContext, CheckVerdict } from './check_input.ts'
import { decideUnreadable } from './evidence.ts'
import { locateOutput } from './locate_output.ts'

export interface CheckSource {
  /** Its source, as evidence names it. */
  label: string
  text: string
  /** Content of the only code fence of an answer; the JSON of a notebook; otherwise the text. */
  fenced: string
}

/** Returns the text of the output file, or of the final answer if `path` is absent. For a missing file, returns the verdict. */
export async function readSource(
  path: string | undefined,
  context: CheckContext,
): Promise<CheckSource | { verdict: CheckVerdict }> {
  if (path === undefined) {
    const text = context.finalResponse.normalize('NFC')
    return { label: context.answerLabel ?? 'final answer', text, fenced: readFenceContent(text) }
  }
  const located = await locateOutput(path, context)
  switch (located.status) {
    case 'undecided':
      return { verdict: located.verdict }
    case 'missing':
      return { verdict: { passed: false, evidence: located.evidence } }
    case 'found': {
      const read = await readTextOnce({ file: located.file, name: located.path }, context)
      if (read.status !== 'text') return { verdict: decideUnreadable(located.path, read) }
      const text = read.text.normalize('NFC')
      return { label: located.path, text, fenced: await readJsonText(located, text) }
    }
  }
}

/** A notebook is JSON itself, whatever its cells say. */
async function readJsonText({ path, file }: { path: string; file: string }, text: string): Promise<string> {
  return findDocumentReader(path)?.format === 'ipynb'
    ? (decodeText(await readFile(file))?.normalize('NFC') ?? text)
    : text
}

/** Parses its JSON. */
export function parseSource({ fenced, label }: CheckSource): { value: unknown } | { mistake: string } {
  try {
    return { value: parseJson(fenced, label) }
  } catch (error) {
    return { mistake: errorMessage(error) }
  }
}

/** The JSON value with its texts in NFC, as those of a source are. */
export function composeTexts(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value).normalize('NFC'))
}

/** The content of the only code fence of an answer, or the answer itself. */
function readFenceContent(answer: string): string {
  const fences = [...answer.matchAll(/^```[a-zA-Z]*\r?\n([\s\S]*?)^```/gm)]
  return fences.length === 1 ? (fences[0]?.[1] ?? answer) : answer
}
