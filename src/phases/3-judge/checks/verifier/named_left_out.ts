/** Finds what a command reads of the files that were not collected, and that its copy of the working folder therefore lacks. */
import path from 'node:path'
import picomatch from 'picomatch'
import { pathExists } from '../../../../base/fs/files.ts'
import { type CheckContext, type CheckDecision, isContentUnknown } from '../inputs/check_input.ts'
import { failUnreadable } from '../inputs/evidence.ts'
import { normalizeInnerPath } from '../inputs/locate_output.ts'
import { isGlob } from '../inputs/match_files.ts'

/**
 * The verdict on a command that names such a file, or a folder or glob with a file whose content is unknown; null: it names none.
 * `placed`: files of the suite in the copy at `cwd`.
 */
export async function failForLeftOut(
  run: string,
  { leftOut }: Pick<CheckContext, 'leftOut'>,
  { cwd, placed }: { cwd: string; placed: readonly string[] },
): Promise<CheckDecision | null> {
  const words = listPathWords(run)
  for (const one of leftOut) {
    const isUnknown = isContentUnknown(one)
    const isNamed = run.includes(one.path) && (/[^\w./-]/.test(one.path) || words.some((word) => holds(one.path, word)))
    const isInside = one.path === '.' || words.some((word) => holds(word, one.path) || matches(word, one.path))
    if (!isNamed && !(isUnknown && isInside)) continue
    if (placed.some((name) => holds(one.path, name) || holds(name, one.path))) continue
    if (!isUnknown && (await pathExists(path.join(cwd, one.path)))) continue // from setup
    return failUnreadable(`${one.path} was not collected: ${one.reason}`)
  }
  return null
}

/** Every part of the command, also of code in quotes, that may be a path in the working folder. */
function listPathWords(run: string): string[] {
  const plain = run.replaceAll(/\$(?:PWD|WHETSTONE_RUN_FOLDER|\{(?:PWD|WHETSTONE_RUN_FOLDER)\})/g, '.')
  const words = plain.split(/[\s;|&()<>'"`=,]+/).filter((word) => word !== '')
  return words.map((word) => normalizeInnerPath(word)).filter((word) => word !== null)
}

/** Whether it is that path or a folder above it. */
function holds(folder: string, name: string): boolean {
  return folder === '.' || name === folder || name.startsWith(`${folder}/`)
}

function matches(word: string, name: string): boolean {
  if (!isGlob(word)) return false
  const parts = name.split('/').slice(0, word.split('/').length).join('/')
  return picomatch.isMatch(parts, word)
}
