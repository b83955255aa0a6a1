/** The texts in which contains, not_contains and regex look. */
import { readFile } from 'node:fs/promises'
import type { CheckOf } from '../../../../schemas/check.ts'
import { locate } from './locate.ts'
import { type CheckScene, isUnknown } from './scene.ts'

export interface SearchText {
  /** Where the text is from, as evidence names it. */
  label: string
  text: string
}

export type SearchTexts =
  | { status: 'texts'; texts: SearchText[]; unseen: string[] }
  | { status: 'missing'; evidence: string }
  | { status: 'undecided'; error: string }

/** Reads the texts. `unseen`: outputs that were not collected, in which it may also be. */
export async function searchTexts(
  where: Pick<CheckOf<'contains'>, 'target' | 'path'>,
  scene: CheckScene,
): Promise<SearchTexts> {
  if (where.path !== undefined) {
    const located = await locate(where.path, scene)
    if (located.status !== 'found') return located
    return texts([{ label: located.path, text: await readFile(located.file, 'utf8') }])
  }
  switch (where.target ?? 'answer') {
    case 'answer':
      return texts([{ label: 'final answer', text: scene.finalResponse }])
    case 'transcript':
      return texts([{ label: 'transcript.md', text: await scene.transcript() }])
    case 'outputs':
      return outputTexts(scene)
  }
}

/** Where a search looked, for evidence. */
export function placesOf(texts: readonly SearchText[]): string {
  const [only] = texts
  return texts.length === 1 && only ? `the ${only.label}` : `${texts.length} text output files`
}

function texts(list: SearchText[]): SearchTexts {
  return { status: 'texts', texts: list, unseen: [] }
}

async function outputTexts(scene: CheckScene): Promise<SearchTexts> {
  const found: SearchText[] = []
  for (const name of scene.outputs) {
    const located = await locate(name, scene)
    const text = located.status === 'found' ? decoded(await readFile(located.file)) : null
    if (text !== null) found.push({ label: name, text })
  }
  return { status: 'texts', texts: found, unseen: scene.leftOut.filter(isUnknown).map((one) => one.path) }
}

function decoded(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
