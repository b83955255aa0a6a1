/** Reads the pages of README and docs: their links and their headings. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.join(import.meta.dirname, '../..')

/** Every page that users read, relative to the root. */
export const pages: readonly string[] = [
  ...['README.md', 'AGENTS.md', 'SECURITY.md', 'skills/eval/SKILL.md'],
  ...['skills/whetstone/SKILL.md', 'skills/whetstone/references/results.md'],
  ...markdownIn('docs'),
]

function markdownIn(folder: string): string[] {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.md')).map((name) => path.posix.join(folder, name))
}

export interface PageLink {
  /** The file that it leads to, relative to the root. */
  file: string
  anchor: string | null
  written: string
}

/** The text of a page of the repository. */
export function readPage(page: string): string {
  return readFileSync(path.join(root, page), 'utf8')
}

/** The relative links and images of a page, without those in code. */
export function linksIn(page: string, text: string): PageLink[] {
  const prose = withoutCode(text).replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, written = '']) => {
    if (/^[a-z]+:/.test(written)) return []
    const [target = '', anchor = null] = written.split('#')
    const file = target === '' ? page : path.posix.join(path.posix.dirname(page), target)
    return [{ file, anchor, written }]
  })
}

/** The anchors of the headings of a page, as GitHub makes them. */
export function anchorsIn(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
}
