/** A line diff of two skill versions, for a person to read before applying it. */
import { diffArrays } from 'diff'
import { isSameFile, type SkillFile } from '../../phases/5-improve/skill_edit.ts'

export interface FileDiff {
  path: string
  /** Each starts with `+`, `-` or a space. */
  lines: string[]
}

const context = 2
/** With more changed lines than this a file is shown as a whole. */
const longest = 2000

/** Skips identical files. */
export function diffSkillFiles(before: readonly SkillFile[], after: readonly SkillFile[]): FileDiff[] {
  const old = new Map(before.map((file) => [file.path, file]))
  const now = new Map(after.map((file) => [file.path, file]))
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    if (isSameFile(was, is)) return []
    if ((was && was.text === null) || (is && is.text === null)) {
      return [
        { path, lines: [`${was ? '-' : ' '}${was?.bytes ?? 0} bytes`, `${is ? '+' : ' '}${is?.bytes ?? 0} bytes`] },
      ]
    }
    return [{ path, lines: [...modes(was, is), ...trimDiffContext(lineDiff(splitFileLines(was), splitFileLines(is)))] }]
  })
}

function modes(was: SkillFile | undefined, is: SkillFile | undefined): string[] {
  if ((was?.isExecutable ?? false) === (is?.isExecutable ?? false)) return []
  return [is?.isExecutable ? '+can be executed' : '-can be executed']
}

function splitFileLines(file: SkillFile | undefined): string[] {
  const lines = file?.text?.split('\n') ?? []
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: longest })
  if (parts === undefined) return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]
  return parts.flatMap(({ added, removed, value }) => {
    const sign = added ? '+' : removed ? '-' : ' '
    return value.map((line) => `${sign}${line}`)
  })
}

/** Keeps only lines near a change. */
function trimDiffContext(lines: readonly string[]): string[] {
  const isChange = (at: number) => (lines[at]?.[0] ?? ' ') !== ' '
  const isShown = lines.map((_, at) => {
    for (let other = at - context; other <= at + context; other += 1) if (isChange(other)) return true
    return false
  })
  return lines.flatMap((line, at) => (isShown[at] ? [line] : isShown[at - 1] ? [' …'] : []))
}
