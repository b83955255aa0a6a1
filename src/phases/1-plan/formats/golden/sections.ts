/** Splits a golden test into its ## sections by the beginnings of their headings. */
import { findMisspelling } from '../../../../base/text/did_you_mean.ts'
import { markdownLines } from '../markdown/lines.ts'

const names = ['setup', 'input', 'expected behavior', 'expected behaviour', 'pass criteria', 'notes'] as const

export interface GoldenSections {
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
