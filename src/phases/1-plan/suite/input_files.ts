/** Resolves the input files of a case: finds and hashes them and assigns their paths in the working folder. Lists what a suite is read from. */
import { existsSync, realpathSync, type Stats, statSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { GitState, InputFile, Suite } from '../../../../schemas/suite.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { hashFile, hashWalk, isExecutable, linkOutReason, pathExists, walk } from '../../../base/fs/files.ts'
import { isIgnoredPath } from '../../../base/fs/ignored_folders.ts'
import { isInsideFolder } from '../../../base/fs/inside_folder.ts'
import { explainBackslashes, readBackslashPath } from '../formats/backslash_paths.ts'
import { isHiddenFromAgents } from '../skill/read_skill.ts'
import type { Warn } from './loader_warnings.ts'

/** A file or folder as a suite names it, and where (JSON path). */
export interface NamedInput {
  path: string
  at: string
}

export interface InputPlace {
  /** The suite file, absolute: no input may contain it. */
  file: string
  /** The skill's folder, absolute: the base of relative paths. */
  root: string
  warn: Warn
}

export interface PlacedInputs {
  files: InputFile[]
  /** Why the case cannot run; empty: all inputs are usable. */
  reasons: string[]
}

/** Finds every input. Never throws: missing or forbidden inputs become reasons, which begin with `what`. */
export async function placeInputs(
  inputs: readonly NamedInput[],
  place: InputPlace,
  what = 'input file',
): Promise<PlacedInputs> {
  const placed: PlacedInputs = { files: [], reasons: [] }
  for (const { path: written, at } of inputs) {
    const folders = [place.root, path.dirname(place.file)]
    const input = { path: await readBackslashPath({ path: written, at }, folders, place.warn), at }
    const found = await findInput(input, place)
    if ('reason' in found) {
      placed.reasons.push(`${what} ${input.path}: ${found.reason}`)
      continue
    }
    const isThere = placed.files.some((file) => file.path === found.path)
    if (isThere) place.warn(input.at, 'the same file again; it counts once')
    else placed.files.push(found)
  }
  return placed
}

/** Hashes a git bundle. `state` null: it is unusable for the given reason. */
export async function placeBundle(
  written: NamedInput,
  place: InputPlace,
): Promise<{ state: Exclude<GitState, true> | null; reasons: string[] }> {
  const bundle = { ...written, path: await readBackslashPath(written, [place.root], place.warn) }
  const found = await resolveInnerFile(bundle.path, place)
  if ('reason' in found) return { state: null, reasons: [`git bundle ${bundle.path}: ${found.reason}`] }
  if (path.isAbsolute(bundle.path)) place.warn(bundle.at, absoluteWarning)
  return hashFile(found.file).then(
    (sha256) => ({ state: { bundle: found.file, sha256 }, reasons: [] }),
    (error: unknown) => ({ state: null, reasons: [`git bundle ${bundle.path}: ${errorMessage(error)}`] }),
  )
}

/** Resolves a file that a suite names to an absolute path, if it and its link target are in the skill's folder. */
export async function resolveInnerFile(
  given: string,
  place: Pick<InputPlace, 'file' | 'root'>,
): Promise<{ file: string } | { reason: string }> {
  const file = await locateInput(given, place.root)
  if (file === null) return { reason: outsideReason(given, place.root) }
  const info = await stat(file).catch(() => null)
  if (!info?.isFile()) return { reason: info === null ? `no such file${explainBackslashes(given)}` : 'not a file' }
  const reason = await explainLinkOut(await realpath(file), place)
  return reason === null ? { file } : { reason }
}

/** The suite's own folder counts as part of the skill, so that `evals` may be a link. null: the real path is in the skill. */
async function explainLinkOut(real: string, { file, root }: Pick<InputPlace, 'file' | 'root'>): Promise<string | null> {
  const places = [root, ...(isOutsideFolder(root, file) ? [] : [path.dirname(file)])]
  const inside = await Promise.all(places.map((place) => realpath(place).catch(() => place)))
  if (inside.some((place) => !isOutsideFolder(place, real))) return null
  return `a link that leads out of the skill folder, to ${real}: put the file itself there`
}

const absoluteWarning = 'an absolute path: the suite will not work on another machine'

function outsideReason(given: string, root: string): string {
  if (existsSync(path.join(path.resolve(root, given), 'SKILL.md')))
    return `leads out of the skill folder, to another skill: install that next to this one with --among ${given} instead`
  return path.isAbsolute(given)
    ? "an absolute path that leads out of the skill folder: put it into the skill's folder and name it from there"
    : 'leads out of the skill folder'
}

/** Absolute path below a folder; null: outside. An absolute path may use another name (link) of the folder. */
async function locateInput(given: string, folder: string): Promise<string | null> {
  const plain = path.resolve(folder, given)
  if (!isOutsideFolder(folder, plain)) return plain
  if (!path.isAbsolute(given)) return null
  const [real, base] = await Promise.all([plain, folder].map((one) => realpath(one).catch(() => null)))
  if (!real || !base || isOutsideFolder(base, real)) return null
  return path.join(folder, path.relative(base, real))
}

async function findInput(named: NamedInput, place: InputPlace): Promise<InputFile | { reason: string }> {
  const input = { ...named, path: await readFromSuite(named, place) }
  const isAbsolute = path.isAbsolute(input.path)
  const base = isAbsolute ? place.root : await chooseBaseFolder(input, place)
  const located = await locateInput(input.path, base)
  if (located === null) return { reason: outsideReason(input.path, base) }
  // macOS writes names in NFD
  const source = [located, located.normalize('NFC'), located.normalize('NFD')].find(existsSync) ?? located
  const info = await stat(source).catch(() => null)
  if (info === null) {
    return { reason: `no such file (looked for ${source}${explainBackslashes(input.path)})` }
  }
  try {
    const refusal = await explainRefusal(source, info, place)
    if (refusal !== null) return { reason: refusal }
    if (!isOutsideFolder(source, path.join(place.root, 'SKILL.md'))) {
      place.warn(input.at, "the skill's own SKILL.md among the input files: both configurations see it")
    }
    if (isAbsolute) place.warn(input.at, absoluteWarning)
    const name = path.relative(base, located).split(path.sep).join('/')
    const content = info.isFile() ? await hashFileContent(source) : await folderContent(source, input.at, place.warn)
    return { path: name, source, ...content }
  } catch (error) {
    return { reason: errorMessage(error) }
  }
}

/** A path such as `../tests/log.txt` that leaves the skill's folder, but read from the suite's folder names a file of the skill. */
async function readFromSuite({ path: given, at }: NamedInput, { file, root, warn }: InputPlace): Promise<string> {
  if (path.isAbsolute(given) || !isOutsideFolder(root, path.resolve(root, given))) return given
  const meant = path.resolve(path.dirname(file), given)
  if (isOutsideFolder(root, meant) || !(await pathExists(meant))) return given
  warn(at, 'relative to the suite instead of the skill folder; it is read from there')
  return path.relative(root, meant)
}

/** The skill's folder, or the suite's if only that has the file, because authors use both. */
async function chooseBaseFolder(input: NamedInput, { file, root, warn }: InputPlace): Promise<string> {
  const beside = path.dirname(file)
  const isOnlyBeside =
    !isOutsideFolder(root, beside) &&
    !isOutsideFolder(beside, path.resolve(beside, input.path)) &&
    !(await pathExists(path.resolve(root, input.path))) &&
    (await pathExists(path.resolve(beside, input.path)))
  if (isOnlyBeside) warn(input.at, 'relative to the suite instead of the skill folder; it is read from there')
  return isOnlyBeside ? beside : root
}

async function explainRefusal(source: string, info: Stats, place: InputPlace): Promise<string | null> {
  if (!info.isFile() && !info.isDirectory()) return 'neither a file nor a folder'
  const real = await realpath(source)
  const linkOut = await explainLinkOut(real, place)
  if (linkOut !== null) return linkOut
  if (!isOutsideFolder(real, await realpath(place.file).catch(() => place.file)))
    return 'it contains the suite itself, which the agent must not see'
  return null
}

/** Whether a path is outside a folder (the folder itself is inside). */
export function isOutsideFolder(folder: string, inner: string): boolean {
  const relative = path.relative(folder, inner)
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
}

/** The properties of a file that matter to an agent. */
export async function hashFileContent(source: string): Promise<Omit<InputFile, 'path' | 'source'> & { kind: 'file' }> {
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
  for (const { path: name, reason, target } of leftOut) {
    const to = target === undefined ? '' : `, to ${target}`
    if (reason !== linkOutReason || isIgnoredPath(name)) {
      warn(at, `${name} of this folder is left out: ${reason}${to}`)
    } else throw new Error(`${name} in it is a link that leads out of the folder${to}: put the file itself there`)
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return { kind: 'directory', sha256: await hashWalk(files), bytes }
}

/** Absolute paths of files and folders. */
export interface SuiteInputs {
  /** Files, and folders with all their content. */
  read: ReadonlySet<string>
  /** Skill folders: SKILL.md and files that agents see count; reports may be next to SKILL.md. */
  skills: readonly string[]
}

/** `skills`: their folders. */
export function listSuiteInputs(
  { path: place, cases }: Pick<Suite, 'path' | 'cases'>,
  skills: Iterable<string>,
): SuiteInputs {
  const folder = existsSync(place) && statSync(place).isDirectory() ? place : path.dirname(place)
  const beside = ['rubric.md', 'judge.md', 'golden', 'snapshots', 'cases', 'fixtures']
  const own = folder === place ? [place] : [place, ...beside.map((name) => path.join(folder, name))]
  const read = new Set(own)
  for (const { files, environment, source, git, grading_files = [] } of new Set(cases)) {
    const {
      files: needed = [],
      rules = [],
      agents = [],
      skills: further = [],
      commands = [],
      programs,
    } = environment ?? {}
    const all: readonly InputFile[][] = [
      files,
      needed,
      rules,
      agents,
      further,
      commands,
      grading_files,
      programs ? [programs.folder] : [],
    ]
    for (const one of all.flat()) read.add(one.source)
    if (source !== undefined) read.add(source.path)
    if (git !== null && git !== true) read.add(git.bundle)
  }
  return { read, skills: [...skills] }
}

/** Whether an existing file (absolute) is part of it; results and reports in a suite's folder are not. */
export function isSuiteInput(file: string, { read, skills }: SuiteInputs): boolean {
  if (!existsSync(file)) return false
  const real = realpathSync(file)
  for (const place of read) {
    if (!isInsideFolder(place, file)) continue
    const [first] = path.relative(realpathSync(place), real).split(path.sep)
    if (first === undefined || !resultFolders.has(first)) return true
  }
  return skills.some((folder) => {
    if (!isInsideFolder(folder, file)) return false
    const inside = path.relative(realpathSync(folder), real).split(path.sep).join('/')
    return inside === 'SKILL.md' || (inside.includes('/') && !isHiddenFromAgents(inside))
  })
}

const resultFolders: ReadonlySet<string> = new Set(['results', 'runs', 'reports'])
