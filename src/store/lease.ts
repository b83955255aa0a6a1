/**
 * Leases: one process at a time writes into a benchmark folder. Each taker leaves a file of its own, so none is ever taken
 * from another by mistake: it holds the lease when every other file there is of an owner that is gone, else it withdraws.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, rmSync } from 'node:fs'
import { open, readdir, rm, utimes } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeAtomic } from '../base/durable.ts'
import { codeOf, UserError } from '../base/error.ts'
import { livesHere, type Owner, ownerHere, ownerOf } from './owner.ts'

export interface Lease {
  /** Aborted when another host has taken the lease over, since this one was silent for too long. */
  lost: AbortSignal
  [Symbol.asyncDispose](): Promise<void>
}

export interface LeaseOptions {
  /** Milliseconds between two beats; an owner on another host counts as gone after three without one. */
  beatMs?: number
  signal?: AbortSignal
}

/** The files of this process's leases. */
const own = new Set<string>()

/** Lets go of all leases of this process, at once and as far as it can: for a program that is about to end. */
export function dropLeases(): void {
  for (const file of own) rmSync(file, { force: true })
}

/**
 * Takes the lease of a folder, or gives who holds it; files of owners that are gone are cleared. An owner on this host is
 * judged by its process, never by a clock; one on another host is watched for three beats. Rejects when aborted.
 */
export async function takeLease(folder: string, options: LeaseOptions = {}): Promise<Lease | { heldBy: Owner }> {
  const { beatMs = 2000, signal } = options
  for (;;) {
    const claim = await claimIn(folder, beatMs)
    try {
      const { gone, living } = await othersIn(folder, claim, { beatMs, signal })
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
    await sleep(20 + Math.random() * 150) // of two that claim at once both withdraw: next time one is first
  }
}

/** Whether a process of this machine works in the folder now; one on another machine is not seen. Writes nothing. */
export async function isHeld(folder: string): Promise<boolean> {
  const here = await ownerHere('claiming')
  const names = (await readdir(folder)).filter(isLease)
  const lives = names.map(async (name) => {
    const found = ownerOf((await look(path.join(folder, name)))?.text ?? '')
    return found !== null && (await livesHere(found, here)) === true
  })
  return (await Promise.all(lives)).includes(true)
}

/**
 * Who holds the lease of a folder or is about to, watched as takeLease does; `gone`: whoever it was ended without a word; null:
 * nobody. Writes nothing.
 */
export async function holderOf(
  folder: string,
  { beatMs = 2000, signal }: LeaseOptions = {},
): Promise<Owner | 'gone' | null> {
  const here = await ownerHere('claiming')
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
  /** From now on others give up at once instead of claiming again. */
  hold(): Promise<void>
}

async function claimIn(folder: string, beatMs: number): Promise<Claim> {
  const file = path.join(folder, `.lease-${randomBytes(8).toString('hex')}.json`)
  const owner = await ownerHere('claiming')
  own.add(file)
  await writeAtomic(file, JSON.stringify(owner))
  const lost = new AbortController()
  const timer = setInterval(() => {
    const now = new Date()
    utimes(file, now, now).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') lost.abort()
    })
  }, beatMs)
  timer.unref()
  return {
    file,
    owner,
    lost: lost.signal,
    hold: () => writeAtomic(file, JSON.stringify({ ...owner, state: 'holding' })),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await rm(file, { force: true })
      own.delete(file)
    },
  }
}

interface Watch {
  beatMs: number
  signal: AbortSignal | undefined
}

/** The lease files of others: those of owners that are gone, and one that lives (a holder before one that only claims). */
async function othersIn(folder: string, own: Claim, watch: Watch): Promise<{ gone: string[]; living: Owner | null }> {
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

/** The owner named by a lease file, if it lives. */
async function livingOwner(file: string, here: Owner, watch: Watch): Promise<Owner | null> {
  const first = await look(file)
  if (first === null) return null
  const owner = ownerOf(first.text) ?? { ...nobodyKnown, state: 'holding' as const }
  const lives = await livesHere(owner, here)
  if (lives !== null) return lives ? owner : null
  for (let beats = 0; beats < 6; beats += 1) {
    await sleep(watch.beatMs / 2, undefined, watch.signal ? { signal: watch.signal } : {}).catch(() => {
      watch.signal?.throwIfAborted()
    })
    const now = await look(file)
    if (now === null) return null
    if (now.touched !== first.touched) return owner
  }
  return null
}

/** Opened, since a file system of the network shows the newest times to who opens; null when it is gone. */
async function look(file: string): Promise<{ text: string; touched: number } | null> {
  try {
    const info = lstatSync(file)
    if (!info.isFile())
      throw new UserError(`${file}: is no file, so it says nothing of who is at work here`, 'take it away')
    const handle = await open(file, 'r')
    try {
      return { touched: (await handle.stat()).mtimeMs, text: await handle.readFile('utf8') }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
