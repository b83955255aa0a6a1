/**
 * Leases: one process at a time writes into a benchmark folder. Each claimant creates its own file, so none can take another's by
 * mistake. It holds the lease when the owners of all other files are gone, otherwise it withdraws.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, rmSync } from 'node:fs'
import { open, readdir, readFile, readlink, rm, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { attempt } from '../../base/errors/attempt.ts'
import { errnoCode, UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { isAlive, readProcessStart } from '../../base/process/marked_processes.ts'

export interface Lease {
  /** Aborted when another host has taken the lease over, because this one was silent for too long. */
  lost: AbortSignal
  [Symbol.asyncDispose](): Promise<void>
}

export interface LeaseOptions {
  /** Milliseconds between two heartbeats; an owner on another host counts as gone after three missed ones. */
  beatMs?: number
  signal?: AbortSignal
}

const ownLeases = new Set<string>()

/** For a program that is about to end: releases all leases of this process, synchronously, as far as possible. */
export function dropLeases(): void {
  for (const file of ownLeases) rmSync(file, { force: true })
}

/**
 * Takes the lease of a folder, or returns its holder; removes files of owners that are gone. An owner on this host is
 * checked by its process, never by a clock; one on another host is watched for three heartbeats. Rejects when aborted.
 */
export async function takeLease(folder: string, options: LeaseOptions = {}): Promise<Lease | { heldBy: Owner }> {
  const { beatMs = 2000, signal } = options
  for (;;) {
    const claim = await createClaim(folder, beatMs)
    try {
      const { gone, living } = await findOthers(folder, claim, { beatMs, signal })
      if (living === null) {
        await claim.hold()
        await Promise.all(gone.map((file) => rm(file, { force: true })))
        return claim
      }
      await claim[Symbol.asyncDispose]()
      if (living.state === 'holding') return { heldBy: living }
    } catch (error) {
      await claim[Symbol.asyncDispose]()
      throw error
    }
    await sleep(20 + Math.random() * 150) // two concurrent claims both withdraw; a random wait lets one be first
  }
}

/** Whether a process of this machine holds or claims the lease; ignores other machines. Writes nothing. */
export async function isLeaseHeld(folder: string): Promise<boolean> {
  const here = await createOwner('claiming')
  const names = (await readdir(folder)).filter(isLease)
  const lives = names.map(async (name) => {
    const found = parseOwner((await readLeaseFile(path.join(folder, name)))?.text ?? '')
    return found !== null && (await isAliveOnThisHost(found, here)) === true
  })
  return (await Promise.all(lives)).includes(true)
}

/**
 * The holder or claimant of the lease of a folder, watched as in takeLease; `gone`: the owner ended without releasing it; null:
 * none. Writes nothing.
 */
export async function findLeaseHolder(
  folder: string,
  { beatMs = 2000, signal }: LeaseOptions = {},
): Promise<Owner | 'gone' | null> {
  const here = await createOwner('claiming')
  const files = async () => (await readdir(folder)).filter(isLease).map((name) => path.join(folder, name))
  const owners = await Promise.all((await files()).map((file) => livingOwner(file, here, { beatMs, signal })))
  const living = owners.flatMap((one) => one ?? [])
  if (living.length > 0) return living.find(({ state }) => state === 'holding') ?? living[0] ?? null
  return (await files()).length > 0 ? 'gone' : null
}

function isLease(name: string): boolean {
  return /^\.lease-[0-9a-f]+\.json$/.test(name)
}

interface Claim extends Lease {
  file: string
  owner: Owner
  /** Tells other claimants to give up at once instead of claiming again. */
  hold(): Promise<void>
}

async function createClaim(folder: string, beatMs: number): Promise<Claim> {
  const file = path.join(folder, `.lease-${randomBytes(8).toString('hex')}.json`)
  const owner = await createOwner('claiming')
  ownLeases.add(file)
  await writeAtomic(file, jsonText(owner))
  const lost = new AbortController()
  const timer = setInterval(() => {
    const now = new Date()
    utimes(file, now, now).catch((error: unknown) => {
      if (errnoCode(error) === 'ENOENT') lost.abort()
    })
  }, beatMs)
  timer.unref()
  return {
    file,
    owner,
    lost: lost.signal,
    hold: () => writeAtomic(file, jsonText({ ...owner, state: 'holding' })),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await rm(file, { force: true })
      ownLeases.delete(file)
    },
  }
}

interface Watch {
  beatMs: number
  signal: AbortSignal | undefined
}

/** The lease files of others: those of owners that are gone, and one living owner (a holder before a claimant). */
async function findOthers(folder: string, own: Claim, watch: Watch): Promise<{ gone: string[]; living: Owner | null }> {
  const names = (await readdir(folder)).filter(isLease)
  const files = names.map((name) => path.join(folder, name)).filter((file) => file !== own.file)
  const found = await Promise.all(
    files.map(async (file) => ({ file, owner: await livingOwner(file, own.owner, watch) })),
  )
  const living = found.flatMap(({ owner }) => owner ?? [])
  return {
    gone: found.filter(({ owner }) => owner === null).map(({ file }) => file),
    living: living.find(({ state }) => state === 'holding') ?? living[0] ?? null,
  }
}

const nobodyKnown = { pid: 0, start: null, host: 'an unknown host', boot: null, space: null, since: 'an unknown time' }

/** The owner named by a lease file, if it is alive. */
async function livingOwner(file: string, here: Owner, watch: Watch): Promise<Owner | null> {
  const first = await readLeaseFile(file)
  if (first === null) return null
  const owner = parseOwner(first.text) ?? { ...nobodyKnown, state: 'holding' as const }
  const lives = await isAliveOnThisHost(owner, here)
  if (lives !== null) return lives ? owner : null
  for (let beats = 0; beats < 6; beats += 1) {
    await sleep(watch.beatMs / 2, undefined, watch.signal ? { signal: watch.signal } : {}).catch(() => {
      watch.signal?.throwIfAborted()
    })
    const now = await readLeaseFile(file)
    if (now === null) return null
    if (now.touched !== first.touched) return owner
  }
  return null
}

/** Opens the file, because a network file system shows the latest times only then; null: it is gone. */
async function readLeaseFile(file: string): Promise<{ text: string; touched: number } | null> {
  try {
    const info = lstatSync(file)
    if (!info.isFile())
      throw new UserError(`${file}: not a file, so it is unknown which process works here`, 'remove it')
    const handle = await open(file, 'r')
    try {
      return { touched: (await handle.stat()).mtimeMs, text: await handle.readFile('utf8') }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return null
    throw error
  }
}

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

async function createOwner(state: Owner['state']): Promise<Owner> {
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
function parseOwner(text: string): Owner | null {
  return attempt(() => owner.parse(JSON.parse(text)), null)
}

/**
 * Whether the owner is alive, as far as its process shows; null: only its heartbeats can tell, because it is on another machine, or
 * another process may have its number.
 */
async function isAliveOnThisHost(one: Owner, here: Owner): Promise<boolean | null> {
  if (one.host !== here.host || one.boot !== here.boot || one.space !== here.space) return null
  const isThere = await isAlive(one.pid, one.start)
  return isThere && one.start === null ? null : isThere
}
