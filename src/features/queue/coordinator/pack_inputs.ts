/** Packs the inputs of a benchmark's runs into bundles; stores shared inputs once. */
import { statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { Environment, InputFile } from '../../../../schemas/suite.ts'
import { type WalkedFile, walk } from '../../../base/fs/files.ts'
import { resolveTmp } from '../../../base/fs/temp_dir.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { putBundle } from '../files/bundles.ts'
import type { ObjectStore } from '../files/manifest.ts'

interface PackedBundle {
  /** The bundle's hash; null: the run has no inputs. */
  sha256: string | null
  /** The spec with paths in the bundle. */
  of: (spec: RunSpec) => RunSpec
}

export interface InputPacker {
  /** All runs of a case share their inputs. */
  inputs(spec: RunSpec): Promise<PackedBundle>
  skill(version: string, files: readonly WalkedFile[]): Promise<string>
  /** Returns the bundle hash of a prompt too large for a queue; null: it travels with its job. */
  prompt(text: string): Promise<string | null>
}

/** Most bytes of a prompt that travels with its job. */
const smallPrompt = 16 * 1024

/** The only file in the bundle of a prompt. */
export const promptFile = 'prompt'

export function createInputPacker(objects: ObjectStore): InputPacker {
  const [packed, skills, prompts] = [rememberFirst<PackedBundle>(), rememberFirst<string>(), rememberFirst<string>()]
  return {
    inputs: (spec) =>
      packed(sha256(canonicalJson([spec.files, spec.git, spec.environment ?? null])), () => pack(spec, objects)),
    skill: (version, files) => skills(version, () => putBundle(objects, { files })),
    async prompt(text) {
      const bytes = Buffer.byteLength(text)
      if (bytes <= smallPrompt) return null
      return await prompts(sha256(text), () => putPrompt({ text, bytes }, objects))
    },
  }
}

function rememberFirst<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (key, work) => {
    const one = known.get(key) ?? work()
    known.set(key, one)
    return one
  }
}

async function pack(spec: RunSpec, objects: ObjectStore): Promise<PackedBundle> {
  const { spec: packed, files, folders } = await packInputs(spec)
  const sha = files.length + folders.length === 0 ? null : await putBundle(objects, { files, folders })
  const { git, environment } = packed
  return {
    sha256: sha,
    of: (one) => ({ ...one, files: packed.files, git, ...(environment && { environment }) }),
  }
}

/** Packs the prompt as a file, like all inputs. */
async function putPrompt({ text, bytes }: { text: string; bytes: number }, objects: ObjectStore): Promise<string> {
  const own = await mkdtemp(path.join(resolveTmp(), 'whetstone-prompt-'))
  try {
    const source = path.join(own, promptFile)
    await writeFile(source, text)
    return await putBundle(objects, { files: [{ path: promptFile, source, bytes }] })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/** The spec with each source replaced by the result of `place`. */
async function withSources(spec: RunSpec, place: (source: string) => Promise<string>): Promise<RunSpec> {
  const files = (list: readonly InputFile[]) =>
    Promise.all(list.map(async (one) => ({ ...one, source: await place(one.source) })))
  const { git, environment } = spec
  return {
    ...spec,
    files: await files(spec.files),
    git: git === null || git === true ? git : { ...git, bundle: await place(git.bundle) },
    ...(environment && { environment: await mapEnvironmentFiles(environment, files) }),
  }
}

async function mapEnvironmentFiles(
  environment: Environment,
  files: (list: readonly InputFile[]) => Promise<InputFile[]>,
): Promise<Environment> {
  const { skills, commands, programs } = environment
  return {
    ...environment,
    files: await files(environment.files),
    rules: await files(environment.rules),
    agents: await files(environment.agents),
    ...(skills && { skills: await files(skills) }),
    ...(commands && { commands: await files(commands) }),
    ...(programs && { programs: { ...programs, folder: (await files([programs.folder]))[0] ?? programs.folder } }),
  }
}

export interface PackedInputs {
  /** Its sources are paths in the bundle. */
  spec: RunSpec
  files: WalkedFile[]
  folders: string[]
}

/** Throws file system errors. */
export async function packInputs(spec: RunSpec): Promise<PackedInputs> {
  const places = new Map<string, string>()
  const files: WalkedFile[] = []
  const folders: string[] = []
  const packed = await withSources(spec, async (source) => {
    const known = places.get(source)
    if (known !== undefined) return known
    const place = `${places.size}/${path.basename(source)}`
    places.set(source, place)
    const info = statSync(source)
    if (!info.isDirectory()) files.push({ path: place, source, bytes: info.size })
    else {
      folders.push(place)
      for (const one of (await walk(source)).files) files.push({ ...one, path: `${place}/${one.path}` })
    }
    return place
  })
  return { spec: packed, files, folders }
}

/** The spec with paths on this machine, in the folder of the unpacked bundle. */
export async function unpackInputs(spec: RunSpec, folder: string): Promise<RunSpec> {
  return await withSources(spec, async (place) => {
    if (!/^\d+\/[^/]+$/.test(place) || place.endsWith('/..'))
      throw new Error(`input file: ${place} is not a valid path in a bundle`)
    return path.join(folder, place)
  })
}
