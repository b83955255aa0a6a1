/** A skill without some of its units: their lines, their files, and headings below which nothing is left. */
import type { SkillUnit } from '../../../../schemas/prune.ts'
import type { VersionFiles } from '../../../phases/5-improve/edits/merge_files.ts'
import { readBlocks, readHeadings } from './read_blocks.ts'

export async function leaveOut(files: VersionFiles, units: readonly SkillUnit[]): Promise<VersionFiles> {
  const gone = new Set(units.flatMap((one) => one.files))
  const kept = new Map([...files].filter(([path]) => !gone.has(path)))
  const main = files.get('SKILL.md')
  if (main === undefined || units.length === 0) return kept
  const text = main.content.toString('utf8')
  const content = Buffer.from(await cutLines(text, units))
  return kept.set('SKILL.md', { ...main, content })
}

async function cutLines(text: string, units: readonly SkillUnit[]): Promise<string> {
  const lines = text.split('\n')
  const isOut = lines.map((_, at) =>
    units.some((unit) => unit.lines.some(({ start, end }) => at + 1 >= start && at + 1 <= end)),
  )
  const headings = await readHeadings(text)
  const inHeading = new Set(headings.flatMap(({ start, end }) => lines.map((_, at) => at).slice(start, end)))
  const hasText = (start: number, end: number, isLeft: (at: number) => boolean) =>
    lines.slice(start, end).some((line, offset) => {
      const at = start + offset
      return line.trim() !== '' && !inHeading.has(at) && isLeft(at)
    })
  const empty = new Set<number>()
  for (const [index, { start, end, level }] of headings.entries()) {
    const next = headings.slice(index + 1).find((other) => other.level <= level)?.start ?? lines.length
    const isEmptied = hasText(end, next, () => true) && !hasText(end, next, (at) => isOut[at] !== true)
    // with its empty lines
    const until = headings[index + 1]?.start ?? next
    if (isEmptied) for (let at = start; at < until; at += 1) empty.add(at)
  }
  const items = (await readBlocks(text)).filter(({ kind }) => kind === 'item')
  const isItem = (at: number) => items.some(({ start, end }) => at >= start && at < end)
  const left = lines.map((_, at) => at).filter((at) => isOut[at] !== true && !empty.has(at))
  const shorter = left.flatMap((at, index) => [...gapBefore(at, left[index - 1]), lines[at] ?? '']).join('\n')
  return `${shorter.trimEnd()}${/\r?\n$/.exec(text)?.[0] ?? ''}`

  /** An empty line where a cut makes two blocks meet: else they are one paragraph, or the second is a part of the item before it. */
  function gapBefore(at: number, before = at - 1): string[] {
    const [line = '', last = ''] = [lines[at], lines[before]]
    const areApart = before === at - 1 || line.trim() === '' || last.trim() === '' || (isItem(before) && isItem(at))
    return areApart ? [] : [line.endsWith('\r') ? '\r' : '']
  }
}
