/** Limits the processes of a sandbox: by a pids cgroup (root), or by the user's own limit inside its namespace (all others). */
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { readFile, rmdir } from 'node:fs/promises'
import { release } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, killNow, readOwnStart } from '../process/marked_processes.ts'

/** The limit that this machine supports. `folder`: the cgroup that can contain new groups. */
export type ProcessLimit =
  | { kind: 'cgroup'; folder: string }
  | { kind: 'user' }
  | { kind: 'none'; why: string; fix: string }

let cachedProcessLimit: ProcessLimit | null = null

/** Checked once per process. */
export function detectProcessLimit(): ProcessLimit {
  cachedProcessLimit ??= process.getuid?.() === 0 ? cgroupLimit() : userLimit()
  return cachedProcessLimit
}

/** Since 5.14 the kernel counts a user's processes per namespace; before, all of that user's on the machine. */
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
    } catch {} // missing, read-only, or without the pids controller: try the next
  }
  const fix =
    'run as an ordinary user, or where the pids cgroup is writable (a container with cgroupns and a writable /sys/fs/cgroup)'
  return { kind: 'none', why: 'root has no limit of its own, and no pids cgroup is writable', fix }
}

export interface LimitedGroup {
  /** The file to which a process writes its number. */
  joinFile: string
  /** Removes the group after its last process; waits at most one second. */
  end(): Promise<void>
}

let count = 0

/** Creates a group with this limit. Throws the system's error. */
export async function makeGroup(folder: string, most: number): Promise<LimitedGroup> {
  count += 1
  const group = path.join(folder, `whetstone-${process.pid}.${await readOwnStart()}-${count}`)
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

/** Removes the groups of killed owners with all their processes, including those that dropped the mark of their run. */
export async function reapGroups(): Promise<void> {
  for (const group of await findStaleGroups()) {
    for (const pid of await listGroup(group)) killNow(pid)
    await removeGroup(group)
  }
}

export async function findStaleGroupProcesses(): Promise<number[]> {
  return (await Promise.all((await findStaleGroups()).map(listGroup))).flat()
}

async function findStaleGroups(): Promise<string[]> {
  const limit = detectProcessLimit()
  if (limit.kind !== 'cgroup') return []
  const stale: string[] = []
  for (const name of readdirSync(limit.folder)) {
    const { pid, start } = /^whetstone-(?<pid>\d+)\.(?<start>\d+)-/.exec(name)?.groups ?? {}
    if (pid === undefined || start === undefined || (await isAlive(Number(pid), start))) continue
    stale.push(path.join(limit.folder, name))
  }
  return stale
}

async function listGroup(group: string): Promise<number[]> {
  const text = await readFile(path.join(group, 'cgroup.procs'), 'utf8').catch(() => '')
  return text.split('\n').filter(Boolean).map(Number)
}
