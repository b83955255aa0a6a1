/** The secret part of a served page's address: every user of a machine reaches its port, and only who has the address the page. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { link, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { nameBeside } from '../../base/beside.ts'
import { exists } from '../../base/files.ts'

/** Of a folder at a port: the same as long as the key is, so that an open page finds a server that was started again. */
export function tokenOf(key: Uint8Array, folder: string, port: number): string {
  return createHmac('sha256', key).update(`${port} ${folder}`).digest('base64url')
}

/** In a time that tells nothing of where they differ. */
export function isSameToken(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

/** This user's, kept in a folder of the temporary ones that is nobody else's; where that can't be, one for this time alone. */
export async function ownKey(temporary = tmpdir()): Promise<Uint8Array> {
  const folder = path.join(temporary, `whetstone-view-key-${process.getuid?.() ?? 'own'}`)
  const file = path.join(folder, 'key')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (!(await isOurs(folder))) return randomBytes(32)
    if (!(await exists(file))) await putOnce(file, randomBytes(32))
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

/** Whole or not at all; of two that are put at a time the first stays. */
async function putOnce(file: string, bytes: Uint8Array): Promise<void> {
  const beside = nameBeside(file)
  await writeFile(beside, bytes, { mode: 0o600 })
  await link(beside, file).catch(() => {})
  await rm(beside, { force: true })
}
