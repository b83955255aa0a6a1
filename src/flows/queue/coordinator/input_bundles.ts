/** Packs a run's inputs into a bundle and unpacks it on another machine, where the spec's paths differ. */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { Environment, InputFile } from '../../../../schemas/suite.ts'
import { type WalkedFile, walk } from '../../../base/fs/files.ts'

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
  /** Folders that may be empty. */
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
