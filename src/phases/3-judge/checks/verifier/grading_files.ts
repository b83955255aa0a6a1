/** Puts files of the suite into a check's own folder and into its copy of the working folder, where only the grading sees them. */
import { copyFile, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { CheckFile } from '../../../../../schemas/checks/verifier.ts'
import type { OutputFile } from '../../../../../schemas/run.ts'
import type { InputFile } from '../../../../../schemas/suite.ts'
import { errorMessage } from '../../../../base/errors/error.ts'
import { copyWalk, hashFile, hashWalk, walk } from '../../../../base/fs/files.ts'
import { isChildPath } from '../../../../base/fs/inside_folder.ts'
import type { CheckContext } from '../inputs/check_input.ts'
import type { CheckFolders } from '../inputs/working_folder.ts'

/**
 * In the copy, replaces whatever the agent left at these places. `error`: a file is missing or not the one that was planned.
 */
export async function putGradingFiles(
  files: readonly CheckFile[],
  { gradingFiles = [], record }: Pick<CheckContext, 'gradingFiles' | 'record'>,
  { cwd, own }: Pick<CheckFolders, 'cwd' | 'own'>,
): Promise<{ error: string } | null> {
  if (files.some((file) => isInEvals(toPlacedFile(file).to))) await clearNeighbours(record.outputs.files, cwd)
  for (const file of files) {
    const { from, to } = toPlacedFile(file)
    const planned = gradingFiles.find((one) => one.path === from)
    if (planned === undefined) return { error: `${from}: the plan does not contain this file of the check` }
    try {
      for (const folder of [own, cwd]) {
        await clearPlace(folder, to)
        const sha256 = await copyGradingFile(planned, path.join(folder, to))
        if (sha256 !== planned.sha256) return { error: `${from} has changed since the suite was read` }
      }
    } catch (error) {
      return { error: `${from} can't be copied into the working folder: ${errorMessage(error)}` }
    }
  }
  await clearTestSettings(record.outputs.files, { cwd, own })
  return null
}

/** A module that the agent left next to a verifier would be loaded in place of the verifier's own. */
async function clearNeighbours(outputs: readonly OutputFile[], cwd: string): Promise<void> {
  for (const { path: name, change } of outputs) if (change === 'created' && isInEvals(name)) await clearPlace(cwd, name)
}

const pytestFile = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/
const pytestSettings = /(?:^|\/)(?:conftest\.py|\.?pytest\.(?:ini|toml))$/
const sharedSettings = /(?:^|\/)(?:pyproject\.toml|tox\.ini|setup\.cfg)$/
const entryPoints = /\.(?:dist|egg)-info\/entry_points\.txt$/i

/**
 * pytest loads these from every folder above a test, and they can change its result. Those of the suite stay. The agent's settings in
 * files that have other uses too stay, but an empty pytest.ini next to them comes first.
 */
async function clearTestSettings(
  outputs: readonly OutputFile[],
  { cwd, own }: Pick<CheckFolders, 'cwd' | 'own'>,
): Promise<void> {
  const created = outputs.filter(({ change }) => change === 'created').map((file) => file.path)
  const left = created.filter((name) => [pytestSettings, sharedSettings, entryPoints].some((one) => one.test(name)))
  const given = left.length === 0 ? [] : (await walk(own)).files.map((file) => file.path)
  const tests = given.filter((name) => pytestFile.test(name))
  if (tests.length === 0) return
  const ours = left.filter((name) => !given.includes(name))
  for (const name of ours.filter((one) => !sharedSettings.test(one))) {
    const folder = path.posix.dirname(name)
    const isAbove = folder === '.' || tests.some((one) => one.startsWith(`${folder}/`))
    if (isAbove || entryPoints.test(name)) await clearPlace(cwd, name)
  }
  for (const name of ours.filter((one) => sharedSettings.test(one))) {
    const file = path.join(cwd, name)
    const text = await readFile(file, 'latin1').catch(() => '') // a folder of the suite may have replaced it
    if (!/pytest|\\[uUx]/.test(text)) continue // TOML can write a name with escapes
    await writeFile(path.join(path.dirname(file), 'pytest.ini'), '', { flag: 'wx' }).catch(() => undefined)
  }
}

function isInEvals(name: string): boolean {
  return name.split('/')[0] === 'evals'
}

/** A name alone is also its place. */
export function toPlacedFile(file: CheckFile): { from: string; to: string } {
  return typeof file === 'string' ? { from: file, to: file } : file
}

/** Removes what is at the place, and links or files where its folders must be: they could lead out. */
export async function clearPlace(cwd: string, place: string): Promise<void> {
  if (!isChildPath(cwd, place)) throw new Error(`${place} is outside the working folder`)
  const parts = place.split('/')
  for (const [index] of parts.entries()) {
    const at = path.join(cwd, ...parts.slice(0, index + 1))
    const found = await lstat(at).catch(() => null)
    if (found === null) break
    if (index < parts.length - 1 && found.isDirectory()) continue
    await rm(at, { recursive: true, force: true })
    break
  }
  await mkdir(path.dirname(path.join(cwd, place)), { recursive: true })
}

/** Returns the hash of the copied content. */
async function copyGradingFile({ kind, source }: InputFile, target: string): Promise<string> {
  if (kind === 'file') {
    await copyFile(source, target)
    return await hashFile(target)
  }
  await copyWalk((await walk(source)).files, target)
  return await hashWalk((await walk(target)).files)
}
