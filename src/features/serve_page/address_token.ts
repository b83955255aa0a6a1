/** The secret part of a served page's URL: every user of a machine can reach its port, so the URL itself must be secret. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { link, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { tempSiblingName } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'

/** For a folder and port; stays the same with the same key, so that an open page finds a restarted server. */
export function deriveToken(key: Uint8Array, folder: string, port: number): string {
  return createHmac('sha256', key).update(`${port} ${folder}`).digest('base64url')
}

/** Compares in constant time, so that timing reveals nothing. */
export function isSameToken(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

/** This user's key, stored in a private folder below the temp directory; if that fails, a one-time key. */
export async function ensureServerKey(temporary = tmpdir()): Promise<Uint8Array> {
  const folder = path.join(temporary, `whetstone-view-key-${process.getuid?.() ?? 'own'}`)
  const file = path.join(folder, 'key')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (!(await isOurs(folder))) return randomBytes(32)
    if (!(await pathExists(file))) await putOnce(file, randomBytes(32))
    return await readFile(file)
  } catch {
    return randomBytes(32)
  }
}

async function isOurs(folder: string): Promise<boolean> {
  if (process.getuid === undefined) return true
  const found = await lstat(folder)
  return found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o077) === 0
}

/** Writes atomically; of two concurrent writers the first wins. */
async function putOnce(file: string, bytes: Uint8Array): Promise<void> {
  const beside = tempSiblingName(file)
  await writeFile(beside, bytes, { mode: 0o600 })
  await link(beside, file).catch(() => {})
  await rm(beside, { force: true })
}
