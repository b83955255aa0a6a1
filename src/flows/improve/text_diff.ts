/** A line diff of two versions of a skill, for a person to read before it is applied. */
import { isSame, type SkillFile } from '../../phases/5-improve/skill_edit.ts'

export interface FileDiff {
  path: string
  /** Each begins with `+`, `-` or a space. */
  lines: string[]
}

const context = 2
/** Beyond so many lines each way a file is shown as a whole. */
const longest = 2000

/** Files that are the same are left out. */
export function diffOf(before: readonly SkillFile[], after: readonly SkillFile[]): FileDiff[] {
  const old = new Map(before.map((file) => [file.path, file]))
  const now = new Map(after.map((file) => [file.path, file]))
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    if (isSame(was, is)) return []
    if ((was && was.text === null) || (is && is.text === null)) {
      return [
        { path, lines: [`${was ? '-' : ' '}${was?.bytes ?? 0} bytes`, `${is ? '+' : ' '}${is?.bytes ?? 0} bytes`] },
      ]
    }
    return [{ path, lines: [...modes(was, is), ...near(lineDiff(linesOf(was), linesOf(is)))] }]
  })
}

function modes(was: SkillFile | undefined, is: SkillFile | undefined): string[] {
  if ((was?.isExecutable ?? false) === (is?.isExecutable ?? false)) return []
  return [is?.isExecutable ? '+can be executed' : '-can be executed']
}

function linesOf(file: SkillFile | undefined): string[] {
  const lines = file?.text?.split('\n') ?? []
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** By the longest common subsequence. */
function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  if (Math.max(before.length, after.length) > longest) {
    return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]
  }
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const same = before[row] === after[column]
      common[row * width + column] = same
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: string[] = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    const [one, other] = [before[row], after[column]]
    if (one !== undefined && one === other) {
      lines.push(` ${one}`)
      row += 1
      column += 1
    } else if (other === undefined || (one !== undefined && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(`-${one}`)
      row += 1
    } else {
      lines.push(`+${other}`)
      column += 1
    }
  }
  return lines
}

/** Only what is near a change. */
function near(lines: readonly string[]): string[] {
  const isChange = (at: number) => (lines[at]?.[0] ?? ' ') !== ' '
  const isShown = lines.map((_, at) => {
    for (let other = at - context; other <= at + context; other += 1) if (isChange(other)) return true
    return false
  })
  return lines.flatMap((line, at) => (isShown[at] ? [line] : isShown[at - 1] ? [' …'] : []))
}
