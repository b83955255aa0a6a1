/** How many processes a sandbox may hold: by a pids cgroup (root), or by the user's own limit inside its namespace (anybody else). */
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { release } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, ownStart } from '../processes.ts'

/** What there is on this machine. `folder`: the cgroup below which groups can be made. */
export type ProcessLimit =
  | { kind: 'cgroup'; folder: string }
  | { kind: 'user' }
  | { kind: 'none'; why: string; fix: string }

let known: ProcessLimit | null = null

/** Looked at once per process. */
export function processLimit(): ProcessLimit {
  known ??= process.getuid?.() === 0 ? cgroupLimit() : userLimit()
  return known
}

/** Since 5.14 the kernel counts a user's processes in each namespace by itself; before, all of that user on the machine. */
function userLimit(): ProcessLimit {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  if (major > 5 || (major === 5 && minor >= 14)) return { kind: 'user' }
  return { kind: 'none', why: `Linux ${release()} counts processes by user only`, fix: 'use Linux 5.14 or later' }
}

function cgroupLimit(): ProcessLimit {
  const places = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']
  for (const folder of places) {
    try {
      const trial = path.join(folder, `whetstone-${process.pid}.0-trial`)
      mkdirSync(trial)
      try {
        writeFileSync(path.join(trial, 'pids.max'), '1024')
        return { kind: 'cgroup', folder }
      } finally {
        rmdirSync(trial)
      }
    } catch {} // not there, read-only, or without the pids controller: the next
  }
  const fix =
    'run as an ordinary user, or where the pids cgroup is writable (a container with cgroupns and a writable /sys/fs/cgroup)'
  return { kind: 'none', why: 'root has no limit of its own, and no pids cgroup is writable', fix }
}

export interface LimitedGroup {
  /** The file that a process writes its number to. */
  joinFile: string
  /** Removes the group once its last process is gone; waits a second at most. */
  end(): Promise<void>
}

let count = 0

/** Makes a group with this limit. Throws the error of the system. */
export async function makeGroup(folder: string, most: number): Promise<LimitedGroup> {
  count += 1
  const group = path.join(folder, `whetstone-${process.pid}.${await ownStart()}-${count}`)
  mkdirSync(group)
  writeFileSync(path.join(group, 'pids.max'), String(most))
  return { joinFile: path.join(group, 'cgroup.procs'), end: () => removeGroup(group) }
}

async function removeGroup(group: string): Promise<void> {
  for (let wait = 1; wait < 600; wait *= 2) {
    const isGone = await rmdir(group).then(
      () => true,
      () => false,
    )
    if (isGone) return
    await sleep(wait)
  }
}

/** Removes the groups of owners that were killed; the last process of theirs is gone by then. */
export async function reapGroups(): Promise<void> {
  const limit = processLimit()
  if (limit.kind !== 'cgroup') return
  for (const name of readdirSync(limit.folder)) {
    const { pid, start } = /^whetstone-(?<pid>\d+)\.(?<start>\d+)-/.exec(name)?.groups ?? {}
    if (pid === undefined || start === undefined || (await isAlive(Number(pid), start))) continue
    await rmdir(path.join(limit.folder, name)).catch(() => {})
  }
}
