/** What a sandbox shows, for code of ours that reads and writes files on an agent's behalf without entering it. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { isBelow } from './below.ts'
import type { Sandbox } from './policy.ts'
import { pathFolders, roomsFolder } from './programs.ts'
import { isSystem } from './system.ts'

/** Both take an absolute path with its links resolved. */
export interface SandboxView {
  /** Where a path of the inside lies outside: /tmp may be a folder of the room. */
  locate(inside: string): string
  canRead(real: string): boolean
  canWrite(real: string): boolean
}

/** Nothing may change the place between this look and its use: no process of the agent lives meanwhile. */
export async function viewOf({ policy }: Sandbox, searchPath: string): Promise<SandboxView> {
  const [writable, readOnly, hidden, readable] = await Promise.all(
    [policy.writable, policy.readOnly, policy.hidden, [...policy.readable, ...(await pathFolders(searchPath))]].map(
      real,
    ),
  )
  const [rooms = null] = roomsFolder()
  // a folder that holds all rooms shows none of them
  const isShown = (place: string) =>
    (readable ?? []).some(
      (folder) =>
        isBelow(place, folder) && !(rooms && folder !== rooms && isBelow(rooms, folder) && isBelow(place, rooms)),
    )
  const isIn = (place: string, folders: readonly string[] = []) => folders.some((folder) => isBelow(place, folder))
  const canRead = (place: string) =>
    isIn(place, writable) || (!isIn(place, hidden) && (isShown(place) || isSystem(place)))
  return {
    canRead,
    locate(inside) {
      if (policy.tmp === null || !isBelow(inside, '/tmp') || canRead(inside)) return inside
      return path.join(policy.tmp, path.relative('/tmp', inside))
    },
    canWrite: (place) => isIn(place, writable) && !isIn(place, readOnly),
  }
}

function real(places: readonly string[]): Promise<string[]> {
  return Promise.all(places.map((place) => realpath(place).catch(() => place)))
}
