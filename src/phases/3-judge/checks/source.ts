/** The one text that a check reads: an output file, or the final answer. */
import { readFile } from 'node:fs/promises'
import { messageOf } from '../../../base/error.ts'
import { parseJson } from '../../../base/json.ts'
import { locate } from './locate.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'

export interface Source {
  /** Where it is from, as evidence names it. */
  label: string
  text: string
  /** Of an answer with one code fence: what stands in it; else the text. */
  fenced: string
}

/** The text of the output file; null or absent `path`: the final answer. Without such a file, the verdict for that. */
export async function readSource(
  path: string | undefined,
  scene: CheckScene,
): Promise<Source | { verdict: CheckVerdict }> {
  if (path === undefined) {
    const text = scene.finalResponse
    return { label: 'final answer', text, fenced: inFence(text) }
  }
  const located = await locate(path, scene)
  switch (located.status) {
    case 'undecided':
      return { verdict: { error: located.error } }
    case 'missing':
      return { verdict: { passed: false, evidence: located.evidence } }
    case 'found': {
      const text = await readFile(located.file, 'utf8')
      return { label: located.path, text, fenced: text }
    }
  }
}

/** The JSON in it. */
export function parseSource({ fenced, label }: Source): { value: unknown } | { mistake: string } {
  try {
    return { value: parseJson(fenced, label) }
  } catch (error) {
    return { mistake: messageOf(error) }
  }
}

/** The content of the only code fence of an answer, or the answer as it is. */
function inFence(answer: string): string {
  const fences = [...answer.matchAll(/^```[a-zA-Z]*\r?\n([\s\S]*?)^```/gm)]
  return fences.length === 1 ? (fences[0]?.[1] ?? answer) : answer
}
