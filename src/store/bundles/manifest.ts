/** The manifest of a bundle: files by path, hash and execute bit. Its canonical text names the bundle, so equal files give equal names. */
import { statSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { UserError } from '../../base/errors/error.ts'
import { hashFile, type WalkedFile } from '../../base/fs/files.ts'
import { canonicalJson, checkAs, parseJson, sha256 } from '../../base/json/json.ts'

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

/** What goes into a bundle. */
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

export function manifestBytes({ files }: Manifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

function isOutside(at: string): boolean {
  return path.posix.isAbsolute(at) || at.includes('\0') || path.posix.normalize(at) !== at || /^\.\.?(\/|$)/.test(at)
}
