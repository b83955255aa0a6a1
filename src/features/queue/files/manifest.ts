/** Bundles in the shared folder: contents by their hash, and manifests, whose canonical text names the bundle, so that equal files give equal names. */
import { constants, existsSync, statSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { errnoCode, UserError } from '../../../base/errors/error.ts'
import { syncFile, syncFolder, tempSiblingName, writeAtomic } from '../../../base/fs/durable_files.ts'
import { hashFile, type WalkedFile } from '../../../base/fs/files.ts'
import { canonicalJson, checkAs, parseJson, sha256 } from '../../../base/json/json.ts'

const hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be a sha256')

const inside = z
  .string()
  .min(1)
  .refine((at) => !isOutside(at), 'must be a path inside the bundle')

const manifest = z.object({
  format: z.literal(1),
  files: z.array(
    z.object({ path: inside, sha256: hex, bytes: z.number().int().nonnegative(), executable: z.boolean() }),
  ),
  folders: z.array(inside),
})

export type Manifest = z.infer<typeof manifest>

export interface BundleContent {
  files: readonly WalkedFile[]
  /** Folders that exist even when they are empty. */
  folders?: readonly string[]
}

export interface DescribedBundle {
  /** Name of the bundle: sha256 of `text`. */
  sha256: string
  text: string
  manifest: Manifest
  /** Path of each content, by its sha256. */
  sources: ReadonlyMap<string, string>
}

/** Reads every file once. Of a file's mode only the execute bit counts: others differ by checkout. Throws UserError for a repeated path. */
export async function describeBundle({ files, folders = [] }: BundleContent): Promise<DescribedBundle> {
  const sources = new Map<string, string>()
  const described: Manifest['files'] = []
  for (const file of files) {
    const [hash, { size, mode }] = [await hashFile(file.source), statSync(file.source)]
    sources.set(hash, file.source)
    described.push({ path: file.path, sha256: hash, bytes: size, executable: (mode & 0o111) !== 0 })
  }
  described.sort((a, b) => (a.path < b.path ? -1 : 1))
  const made = checkAs(manifest, { format: 1, files: described, folders: [...folders].sort() }, 'bundle')
  const twice = described.find((file, at) => file.path === described[at + 1]?.path)
  if (twice !== undefined) throw new UserError(`bundle: ${twice.path} appears twice`)
  const text = canonicalJson(made)
  return { sha256: sha256(text), text, manifest: made, sources }
}

/** The manifest of that name; null: the text does not match the name. */
export function parseManifest(name: string, text: string): Manifest | null {
  if (sha256(text) !== name) return null
  return checkAs(manifest, parseJson(text, `bundle ${name}`), `bundle ${name}`)
}

function isOutside(at: string): boolean {
  return path.posix.isAbsolute(at) || at.includes('\0') || path.posix.normalize(at) !== at || /^\.\.?(\/|$)/.test(at)
}

/** `at`: the path in the bundle; null: its list of files. */
export interface BundleDamage {
  bundle: string
  at: string | null
  /** Path of the damaged bytes. */
  place: string
  problem: 'missing' | 'damaged'
}

/** Names the damaged file of the bundle, and where it is. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
  readonly damage: BundleDamage

  constructor(damage: BundleDamage) {
    const { bundle, at, place, problem } = damage
    const what = at === null ? 'its list of files' : at
    const how = problem === 'missing' ? 'is missing' : 'does not match its hash'
    super(`bundle ${bundle}: ${what} ${how} (${place})`)
    this.damage = damage
  }
}

/** Contents by their sha256. Readers must verify the hash themselves. */
export interface ObjectStore {
  /** Stores a file or a text under its hash, durably and completely or not at all; leaves an existing valid one. */
  put(sha256: string, content: { file: string } | { text: string }): Promise<void>
  /** Copies a content to a new local file; false: not found. Rejects with what the file system throws. */
  get(sha256: string, to: string): Promise<boolean>
  /** The path of a content, for messages. */
  placeOf(sha256: string): string
}

/** A shared folder. Two processes may store the same content at once: the bytes are equal, and the later rename changes nothing. */
export function openSharedObjects(folder: string): ObjectStore {
  const placeOf = (sha256: string) => path.join(folder, sha256.slice(0, 2), sha256)
  return {
    placeOf,
    async put(sha256, content) {
      const place = placeOf(sha256)
      if (await isSound(place, sha256)) return
      await makeDurable(path.dirname(place))
      if ('text' in content) return await writeAtomic(place, content.text)
      const temporary = tempSiblingName(place)
      try {
        await copyFile(content.file, temporary, constants.COPYFILE_FICLONE)
        await syncFile(temporary)
        await rename(temporary, place)
        await syncFolder(path.dirname(place))
      } finally {
        await rm(temporary, { force: true })
      }
    },
    async get(sha256, to) {
      try {
        await copyFile(placeOf(sha256), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
        return true
      } catch (error) {
        if (errnoCode(error) === 'ENOENT' && !existsSync(placeOf(sha256))) return false
        throw error
      }
    },
  }
}

/** A content damaged on disk counts as missing, so repeating the same command repairs it. */
async function isSound(place: string, sha256: string): Promise<boolean> {
  return await hashFile(place).then(
    (found) => found === sha256,
    () => false,
  )
}

/** Makes a new folder and its entry in the parent survive a power failure. */
async function makeDurable(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const first = await mkdir(folder, { recursive: true })
  if (first !== undefined) await syncFolder(path.dirname(first))
}
