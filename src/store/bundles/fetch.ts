/** Writes a bundle into a new local folder, verifying each file on arrival. */
import { chmod, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { hashFile } from '../../base/fs/files.ts'
import { BundleError } from './damage.ts'
import { type Manifest, parseManifest } from './manifest.ts'
import type { ObjectStore } from './objects.ts'

/** Fills `into/manifest.json` and `into/files`, and makes the folders read-only. Throws BundleError. */
export async function fetchBundle(into: string, sha256: string, objects: ObjectStore): Promise<void> {
  const folder = path.join(into, 'files')
  await mkdir(folder, { recursive: true })
  const manifest = await fetchManifest(into, sha256, objects)
  const folders = new Set([folder])
  const makeFolder = async (made: string) => {
    for (let one = made; one.startsWith(`${folder}/`); one = path.dirname(one)) folders.add(one)
    await mkdir(made, { recursive: true })
  }
  for (const one of manifest.folders) await makeFolder(path.join(folder, one))
  for (const file of manifest.files) {
    const target = path.join(folder, file.path)
    await makeFolder(path.dirname(target))
    const unfit = { bundle: sha256, at: file.path, place: objects.placeOf(file.sha256) }
    await fetchChecked({ objects, sha256: file.sha256, to: target, unfit })
    // as in a checkout: copies of a run have the same permissions as on the machine where it was planned
    await chmod(target, file.executable ? 0o755 : 0o644)
  }
  // innermost first: a read-only folder takes no new entry
  for (const one of [...folders].sort((a, b) => b.length - a.length)) await chmod(one, 0o555)
}

async function fetchManifest(into: string, sha256: string, objects: ObjectStore): Promise<Manifest> {
  const file = path.join(into, 'manifest.json')
  const unfit = { bundle: sha256, at: null, place: objects.placeOf(sha256) }
  await fetchChecked({ objects, sha256, to: file, unfit })
  const manifest = parseManifest(sha256, await readFile(file, 'utf8'))
  if (manifest === null) throw new BundleError({ ...unfit, problem: 'damaged' })
  return manifest
}

interface CheckedFetch {
  objects: ObjectStore
  sha256: string
  to: string
  unfit: { bundle: string; at: string | null; place: string }
}

async function fetchChecked({ objects, sha256, to, unfit }: CheckedFetch): Promise<void> {
  if (!(await objects.get(sha256, to))) throw new BundleError({ ...unfit, problem: 'missing' })
  if ((await hashFile(to)) !== sha256) throw new BundleError({ ...unfit, problem: 'damaged' })
}
