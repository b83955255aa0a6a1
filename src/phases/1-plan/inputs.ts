/** Input files of a case: found, hashed and given their place in the run's working folder. */
import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { GitState, InputFile } from '../../../schemas/suite.ts'
import { messageOf } from '../../base/error.ts'
import { exists, hashFile, hashWalk, isExecutable, walk } from '../../base/files.ts'
import type { Warn } from './warnings.ts'

/** A file or folder as a suite names it, and where it names it (JSON path). */
export interface NamedInput {
  path: string
  at: string
}

export interface InputPlace {
  /** The suite file, absolute: no input may hold it. */
  file: string
  /** The skill's folder, absolute: what relative paths start from. */
  root: string
  warn: Warn
}

export interface PlacedInputs {
  files: InputFile[]
  /** Why the case cannot run; empty when all is there. */
  reasons: string[]
}

/** Finds every input. Never throws: what is missing or not allowed is a reason. */
export async function placeInputs(inputs: readonly NamedInput[], place: InputPlace): Promise<PlacedInputs> {
  const placed: PlacedInputs = { files: [], reasons: [] }
  for (const input of inputs) {
    const found = await find(input, place)
    if ('reason' in found) {
      placed.reasons.push(`input file ${input.path}: ${found.reason}`)
      continue
    }
    const same = placed.files.find((file) => file.path === found.path)
    if (same === undefined) placed.files.push(found)
    else if (same.source === found.source) place.warn(input.at, 'the same file again; it counts once')
    else placed.reasons.push(`input files ${same.source} and ${found.source} would both lie at ${found.path}`)
  }
  return placed
}

/** A git bundle, hashed. `state` null: it can't be used, for the one reason given. */
export async function placeBundle(
  bundle: string,
  root: string,
): Promise<{ state: Exclude<GitState, true> | null; reasons: string[] }> {
  const file = path.resolve(root, bundle)
  const info = await stat(file).catch(() => null)
  const reason = info === null ? 'no such file' : info.isFile() ? null : 'not a file'
  if (reason !== null) return { state: null, reasons: [`git bundle ${bundle}: ${reason}`] }
  return hashFile(file).then(
    (sha256) => ({ state: { bundle: file, sha256 }, reasons: [] }),
    (error: unknown) => ({ state: null, reasons: [`git bundle ${bundle}: ${messageOf(error)}`] }),
  )
}

async function find(input: NamedInput, place: InputPlace): Promise<InputFile | { reason: string }> {
  const isAbsolute = path.isAbsolute(input.path)
  const base = isAbsolute ? '/' : await baseOf(input, place)
  const source = path.resolve(base, input.path)
  if (!isAbsolute && leaves(base, source)) return { reason: 'leads out of the skill folder' }
  const info = await stat(source).catch(() => null)
  if (info === null) return { reason: `no such file (looked for ${source})` }
  try {
    const refusal = await refusalOf({ source, isAbsolute, info }, place)
    if (refusal !== null) return { reason: refusal }
    if (!leaves(source, path.join(place.root, 'SKILL.md'))) {
      place.warn(input.at, "the skill's own SKILL.md among the input files: both arms see it")
    }
    if (isAbsolute) place.warn(input.at, 'an absolute path: the suite will not work on another machine')
    const name = isAbsolute ? path.basename(source) : path.relative(base, source).split(path.sep).join('/')
    const content = info.isFile() ? await fileContent(source) : await folderContent(source, input.at, place.warn)
    return { path: name, source, ...content }
  } catch (error) {
    return { reason: messageOf(error) }
  }
}

/** The skill's folder; the suite's, where only that has the file: authors mean it so. */
async function baseOf(input: NamedInput, { file, root, warn }: InputPlace): Promise<string> {
  const beside = path.dirname(file)
  const isOnlyBeside =
    !leaves(root, beside) &&
    !leaves(beside, path.resolve(beside, input.path)) &&
    !(await exists(path.resolve(root, input.path))) &&
    (await exists(path.resolve(beside, input.path)))
  if (isOnlyBeside) warn(input.at, 'not relative to the skill folder, but to the suite; it is taken from there')
  return isOnlyBeside ? beside : root
}

interface Candidate {
  source: string
  isAbsolute: boolean
  info: Stats
}

async function refusalOf({ source, isAbsolute, info }: Candidate, { file, root }: InputPlace): Promise<string | null> {
  if (!info.isFile() && !info.isDirectory()) return 'neither a file nor a folder'
  const real = await realpath(source)
  if (!isAbsolute && leaves(await realpath(root), real)) return 'a link that leads out of the skill folder'
  if (!leaves(real, await realpath(file).catch(() => file)))
    return 'it holds the suite itself, which the agent must not see'
  return null
}

/** Whether a path lies outside a folder (the folder itself is inside). */
export function leaves(folder: string, inner: string): boolean {
  const relative = path.relative(folder, inner)
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
}

/** What of a file makes a difference to an agent. */
export async function fileContent(source: string): Promise<Omit<InputFile, 'path' | 'source'> & { kind: 'file' }> {
  const { size } = await stat(source)
  const executable = isExecutable(source) && { executable: true as const }
  return { kind: 'file', sha256: await hashFile(source), bytes: size, ...executable }
}

async function folderContent(
  source: string,
  at: string,
  warn: Warn,
): Promise<Pick<InputFile, 'kind' | 'sha256' | 'bytes'>> {
  const { files, leftOut } = await walk(source)
  for (const { path: name, reason } of leftOut) warn(at, `${name} of this folder is left out: ${reason}`)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return { kind: 'directory', sha256: await hashWalk(files), bytes }
}
