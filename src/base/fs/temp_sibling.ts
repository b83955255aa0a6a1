/** Names for temporary files next to their target. They identify the owner, so that files of a killed process can be removed. */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { isAlive } from '../process/marked_processes.ts'

/** Identifies this process among all that write to a folder: in containers that share a folder, every process may have the number 1. */
const processToken = randomBytes(6).toString('hex')

let count = 0
let owner: string | null = null

/** A hidden name in the same folder that no other process uses, killed ones included. */
export function tempSiblingName(place: string): string {
  count += 1
  owner ??= `${machine()}-${process.pid}-${ownStart() ?? ''}`
  return path.join(path.dirname(place), `.${path.basename(place)}.${owner}-${processToken}.${count}.tmp`)
}

/** The owner is optional: names of earlier versions have none. */
const tempNamePattern = /^\..+\.(?:(?<machine>[0-9a-f]{8})-(?<pid>\d+)-(?<start>\d*)-)?[0-9a-f]{12}\.\d+\.tmp$/

/** Whether the owner of a tempSiblingName is alive; `unknown`: on another machine, or of an earlier version; null: not such a name. */
export async function readOwnerState(name: string): Promise<'lives' | 'gone' | 'unknown' | null> {
  const found = tempNamePattern.exec(name)
  if (found === null) return null
  const { machine: where, pid, start } = found.groups ?? {}
  if (where !== machine()) return 'unknown'
  return (await isAlive(Number(pid), start || null)) ? 'lives' : 'gone'
}

/** Boot and process namespace: process numbers can't be compared across them. */
function machine(): string {
  const boot = orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
  const space = orNothing(() => readlinkSync('/proc/self/ns/pid'))
  return createHash('sha256').update([hostname(), boot, space].join('\n')).digest('hex').slice(0, 8)
}

/** In clock ticks since boot; null: the system does not report it. */
function ownStart(): string | null {
  const text = orNothing(() => readFileSync('/proc/self/stat', 'utf8'))
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

function orNothing(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
