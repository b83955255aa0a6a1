/** Who holds a lease: a process, told apart from later ones with its number and from those of other machines. */
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { z } from 'zod'
import { isAlive, processStart } from '../base/processes.ts'

const owner = z.object({
  pid: z.number().int(),
  /** Start of the process in ticks since boot; null where the system does not say. */
  start: z.string().nullable(),
  host: z.string(),
  /** Boot and process namespace: where they differ, a process number says nothing. */
  boot: z.string().nullable(),
  space: z.string().nullable(),
  since: z.string(),
  state: z.enum(['claiming', 'holding']),
})

export type Owner = z.infer<typeof owner>

/** This process as an owner. */
export async function ownerHere(state: Owner['state']): Promise<Owner> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null)
  return {
    pid: process.pid,
    start: await processStart(process.pid),
    host: hostname(),
    boot: boot?.trim() ?? null,
    space: await readlink('/proc/self/ns/pid').catch(() => null),
    since: new Date().toISOString(),
    state,
  }
}

/** From the text of a lease; null where it is cut off or none. */
export function ownerOf(text: string): Owner | null {
  try {
    return owner.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Whether the owner lives, as far as its process says; null where only its beats can tell: it is on another machine, or
 * its number may be another process's by now.
 */
export async function livesHere(one: Owner, here: Owner): Promise<boolean | null> {
  if (one.host !== here.host || one.boot !== here.boot || one.space !== here.space) return null
  const isThere = await isAlive(one.pid, one.start)
  return isThere && one.start === null ? null : isThere
}
