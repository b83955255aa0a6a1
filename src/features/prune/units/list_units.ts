/** The units of a skill that can be left out one by one: sections, list items, references and scripts, joined where they depend on each other. */
import type { SkillUnit } from '../../../../schemas/prune.ts'
import { readBlocks, type SkillBlock } from './read_blocks.ts'

/** A file of the skill, relative to it with /. */
interface UnitFile {
  path: string
  bytes: number
  text: string | null
}

type Part = { kind: SkillUnit['kind']; label: string; blocks: SkillBlock[]; files: UnitFile[] }

/**
 * A section is the text below a heading without its list items, each of which is a unit of its own. A file and the paragraph or list item
 * that names it are one unit, and so are two files that name each other. Files that nothing names are one unit per folder.
 */
export async function listUnits(files: readonly UnitFile[], protect: readonly string[] = []): Promise<SkillUnit[]> {
  const text = files.find(({ path }) => path === 'SKILL.md')?.text ?? ''
  const blocks = await readBlocks(text)
  const others = files.filter(({ path }) => path !== 'SKILL.md' && !/^(license|licence|notice)\b/i.test(path))
  const parts = joinDependent(blocks, others)
  return parts.map((part, at) => describeUnit(`u${at + 1}`, part, protect))
}

/** In the order of SKILL.md; files that it does not name come last. */
function joinDependent(blocks: readonly SkillBlock[], files: readonly UnitFile[]): Part[] {
  const groups = new Map<SkillBlock | UnitFile, Set<SkillBlock | UnitFile>>()
  for (const one of [...blocks, ...files]) groups.set(one, new Set([one]))
  const join = (one: SkillBlock | UnitFile, other: SkillBlock | UnitFile) => {
    const [mine, theirs] = [groups.get(one), groups.get(other)]
    if (mine === undefined || theirs === undefined || mine === theirs) return
    for (const each of theirs) {
      mine.add(each)
      groups.set(each, mine)
    }
  }
  const named = new Set<UnitFile>()
  for (const file of files) {
    for (const one of [...blocks, ...files]) {
      if (one === file || one.text === null) continue
      if (!namesFile(one.text, file.path) && !('bytes' in one && importsFile(one, file))) continue
      join(one, file)
      named.add(file)
      if ('bytes' in one) named.add(one)
    }
  }
  const alone = (block: SkillBlock) => !files.some((file) => groups.get(file) === groups.get(block))
  for (const block of blocks) {
    // what is left of a section's text goes together
    const first = blocks.find((one) => one.section === block.section && one.kind === 'text' && alone(one))
    if (block.kind === 'text' && alone(block) && first !== undefined) join(first, block)
    for (const other of blocks)
      if (other.anchor !== '' && block.text.includes(`](#${other.anchor})`)) join(other, block)
  }
  const strays = files.filter((file) => !named.has(file))
  for (const file of strays) {
    const first = strays.find((other) => folderOf(other.path) === folderOf(file.path))
    if (first !== undefined) join(first, file)
  }
  return [...new Set(groups.values())].map(createPart).sort((a, b) => startOf(a) - startOf(b))
}

function createPart(members: ReadonlySet<SkillBlock | UnitFile>): Part {
  const blocks = [...members].flatMap((one) => ('bytes' in one ? [] : [one])).sort((a, b) => a.start - b.start)
  const files = [...members].flatMap((one) => ('bytes' in one ? [one] : []))
  const script = files.find(({ path }) => path.startsWith('scripts/'))
  const [block] = blocks
  const [file] = script === undefined ? files : [script]
  if (file !== undefined) {
    return { kind: script === undefined ? 'reference' : 'script', label: file.path, blocks, files }
  }
  const isItem = blocks.every(({ kind }) => kind === 'item')
  const heading = block?.heading ?? ''
  return {
    kind: isItem ? 'item' : 'section',
    label: isItem || heading === '' ? shorten(block?.text ?? '') : heading,
    blocks,
    files,
  }
}

function describeUnit(id: string, { kind, label, blocks, files }: Part, protect: readonly string[]): SkillUnit {
  const all = [label, ...blocks.map(({ text }) => text), ...files.map(({ path }) => path)].join('\n').toLowerCase()
  return {
    id,
    kind,
    label,
    lines: blocks.map(({ start, end }) => ({ start: start + 1, end })),
    files: files.map(({ path }) => path).sort(),
    characters:
      blocks.reduce((sum, { text }) => sum + text.length, 0) + files.reduce((sum, { bytes }) => sum + bytes, 0),
    protected: protect.some((one) => all.includes(one.toLowerCase())),
  }
}

/** By its path or its name, where that stands alone. */
function namesFile(text: string, path: string): boolean {
  const name = nameOf(path)
  return [path, ...(name.includes('.') ? [name] : [])].some((one) =>
    new RegExp(`(^|[^\\w.-])${escapePattern(one)}(?![\\w-])`, 'm').test(text),
  )
}

const codeEnding = /\.(py|[cm]?[jt]s|rb)$/

/** In a line such as `from lib.helper import x` or `require('./helper')`. */
function importsFile(one: UnitFile, { path }: UnitFile): boolean {
  if (one.text === null || !codeEnding.test(one.path) || !codeEnding.test(path)) return false
  const name = escapePattern(nameOf(path).replace(codeEnding, ''))
  return new RegExp(`\\b(import|from|require(_relative)?)\\b.*(?<![\\w-])${name}(?![\\w-])`).test(one.text)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : ''
}

function startOf({ blocks }: Part): number {
  return blocks[0]?.start ?? Number.POSITIVE_INFINITY
}

function shorten(text: string): string {
  const line = text
    .replace(/^\s*([-*+]|\d+[.)])\s+/, '')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
