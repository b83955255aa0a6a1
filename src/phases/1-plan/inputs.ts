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
    const isThere = placed.files.some((file) => file.path === found.path)
    if (isThere) place.warn(input.at, 'the same file again; it counts once')
    else placed.files.push(found)
  }
  return placed
}

/** A git bundle, hashed. `state` null: it can't be used, for the one reason given. */
export async function placeBundle(
  bundle: NamedInput,
  { root, warn }: InputPlace,
): Promise<{ state: Exclude<GitState, true> | null; reasons: string[] }> {
  const found = await fileInside(bundle.path, root)
  if ('reason' in found) return { state: null, reasons: [`git bundle ${bundle.path}: ${found.reason}`] }
  if (path.isAbsolute(bundle.path)) warn(bundle.at, absoluteWarning)
  return hashFile(found.file).then(
    (sha256) => ({ state: { bundle: found.file, sha256 }, reasons: [] }),
    (error: unknown) => ({ state: null, reasons: [`git bundle ${bundle.path}: ${messageOf(error)}`] }),
  )
}

/** A file that a suite names, absolute, where it and what it may link to are in the skill's folder. */
export async function fileInside(given: string, root: string): Promise<{ file: string } | { reason: string }> {
  const file = await locate(given, root)
  if (file === null) return { reason: outside(given) }
  const info = await stat(file).catch(() => null)
  if (!info?.isFile()) return { reason: info === null ? 'no such file' : 'not a file' }
  const [real, base] = await Promise.all([realpath(file), realpath(root)])
  return leaves(base, real) ? { reason: 'a link that leads out of the skill folder' } : { file }
}

const absoluteWarning = 'an absolute path: the suite will not work on another machine'

function outside(given: string): string {
  return path.isAbsolute(given)
    ? "an absolute path that leads out of the skill folder: put it into the skill's folder and name it from there"
    : 'leads out of the skill folder'
}

/** Where a path as written lies below a folder, absolute; null: elsewhere. An absolute one may give the folder another of its names. */
async function locate(given: string, folder: string): Promise<string | null> {
  const plain = path.resolve(folder, given)
  if (!leaves(folder, plain)) return plain
  if (!path.isAbsolute(given)) return null
  const [real, base] = await Promise.all([plain, folder].map((one) => realpath(one).catch(() => null)))
  if (!real || !base || leaves(base, real)) return null
  return path.join(folder, path.relative(base, real))
}

async function find(input: NamedInput, place: InputPlace): Promise<InputFile | { reason: string }> {
  const isAbsolute = path.isAbsolute(input.path)
  const base = isAbsolute ? place.root : await baseOf(input, place)
  const source = await locate(input.path, base)
  if (source === null) return { reason: outside(input.path) }
  const info = await stat(source).catch(() => null)
  if (info === null) return { reason: `no such file (looked for ${source})` }
  try {
    const refusal = await refusalOf(source, info, place)
    if (refusal !== null) return { reason: refusal }
    if (!leaves(source, path.join(place.root, 'SKILL.md'))) {
      place.warn(input.at, "the skill's own SKILL.md among the input files: both arms see it")
    }
    if (isAbsolute) place.warn(input.at, absoluteWarning)
    const name = path.relative(base, source).split(path.sep).join('/')
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

async function refusalOf(source: string, info: Stats, { file, root }: InputPlace): Promise<string | null> {
  if (!info.isFile() && !info.isDirectory()) return 'neither a file nor a folder'
  const real = await realpath(source)
  if (leaves(await realpath(root), real)) return 'a link that leads out of the skill folder'
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
