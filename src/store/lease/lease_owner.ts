/** The owner of a lease: a process, distinguished from later ones with its number and from those of other machines. */
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import * as z from 'zod'
import { isAlive, readProcessStart } from '../../base/process/marked_processes.ts'

const owner = z.object({
  pid: z.number().int(),
  /** Start of the process in ticks since boot; null: the system does not report it. */
  start: z.string().nullable(),
  host: z.string(),
  /** Boot and process namespace: process numbers can't be compared across them. */
  boot: z.string().nullable(),
  space: z.string().nullable(),
  since: z.string(),
  state: z.enum(['claiming', 'holding']),
})

export type Owner = z.infer<typeof owner>

export async function createOwner(state: Owner['state']): Promise<Owner> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null)
  return {
    pid: process.pid,
    start: await readProcessStart(process.pid),
    host: hostname(),
    boot: boot?.trim() ?? null,
    space: await readlink('/proc/self/ns/pid').catch(() => null),
    since: new Date().toISOString(),
    state,
  }
}

/** From the text of a lease; null: cut off or invalid. */
export function parseOwner(text: string): Owner | null {
  try {
    return owner.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Whether the owner is alive, as far as its process shows; null: only its heartbeats can tell, because it is on another machine, or
 * another process may have its number.
 */
export async function isAliveOnThisHost(one: Owner, here: Owner): Promise<boolean | null> {
  if (one.host !== here.host || one.boot !== here.boot || one.space !== here.space) return null
  const isThere = await isAlive(one.pid, one.start)
  return isThere && one.start === null ? null : isThere
}
