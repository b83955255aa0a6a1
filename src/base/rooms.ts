/** Rooms for one run after another: what is as costly to make and remove as all of a run's files is used again where nobody touched it. */
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { makeFolder, nameRoom, type Room, removedSmall, removeFolder, roomIn } from './room.ts'

/** A room that holds a home. */
export interface HomeRoom extends Room {
  /** Absolute path of an empty home with an empty `tmp` in it. */
  home: string
}

/** A room's folder and how it looked when it was made. */
interface Made {
  folder: string
  looks: string
}

/**
 * Gives rooms, and keeps the folders of those that ended with their home as it was made, for the next; nothing else of a run stays in
 * them, and each has a name and a mark that none had before. Its end removes what it keeps. Use with `await using`.
 */
export class Rooms implements AsyncDisposable {
  readonly #kept: Made[] = []
  /** What could not be used again, or not be removed. */
  readonly #unfit: string[] = []
  #isOver = false

  /** A room as openRoom makes it, with a home. Throws UserError where the temporary folder can't hold one. */
  async open(): Promise<HomeRoom> {
    const named = await nameRoom()
    const looks = (await this.#movedTo(named.folder)) ?? (await make(named.folder))
    const room = roomIn(named, (folder) => this.#end({ folder, looks }))
    return { ...room, home: homeIn(named.folder) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    for (const { folder } of this.#kept.splice(0)) await removeFolder(folder)
    for (const folder of this.#unfit.splice(0)) await removeFolder(folder)
  }

  /** Moves a kept folder to this place; gives its looks. null: none was kept. */
  async #movedTo(folder: string): Promise<string | null> {
    for (let made = this.#kept.pop(); made !== undefined; made = this.#kept.pop()) {
      try {
        renameSync(made.folder, folder)
      } catch {
        this.#unfit.push(made.folder) // it is gone, or TMPDIR is another now
        continue
      }
      if (looksNow(folder) === made.looks) return made.looks
      await removeFolder(folder) // who cleans the temporary folder of what is old has been there
    }
    return null
  }

  async #end({ folder, looks }: Made): Promise<void> {
    const isFit = looksNow(folder) === looks && (await emptied(folder))
    if (isFit && !this.#isOver) this.#kept.push({ folder, looks })
    else await removeFolder(folder)
    if (!isFit && existsSync(folder)) this.#unfit.push(folder) // without descriptors left it can't be looked into
  }
}

const homeIn = (folder: string) => path.join(folder, 'home')
const tmpIn = (folder: string) => path.join(folder, 'home/tmp')

async function make(folder: string): Promise<string> {
  makeFolder(folder)
  try {
    mkdirSync(homeIn(folder))
    mkdirSync(tmpIn(folder))
  } catch (error) {
    await removeFolder(folder)
    throw error
  }
  return looksNow(folder) ?? ''
}

/**
 * Which folders these are, whose, with which rights, and when the home or its `tmp` was changed last: whatever is made, removed, written
 * or set in one changes that, which nobody can set back. What they hold is looked at too, since a clock that ticks every few
 * milliseconds does not tell what came right after. null: a folder is not there, or holds something.
 */
function looksNow(folder: string): string | null {
  try {
    const [inHome, inTmp] = [readdirSync(homeIn(folder)), readdirSync(tmpIn(folder))]
    if (inHome.length !== 1 || inTmp.length !== 0) return null
    const [room, home, tmp] = [folder, homeIn(folder), tmpIn(folder)].map((one) => lstatSync(one, { bigint: true }))
    const owned = [room, home, tmp].flatMap((one) => [one?.dev, one?.ino, one?.mode, one?.uid, one?.gid])
    return [...owned, home?.ctimeNs, tmp?.ctimeNs].join()
  } catch {
    return null
  }
}

/** Removes all but the home, through no link. False: something can't go, or is much. */
async function emptied(folder: string): Promise<boolean> {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name === 'home') continue
      const full = path.join(folder, entry.name)
      if (!entry.isDirectory()) unlinkSync(full)
      else if (!(await removedSmall(full, path.dirname(folder)))) return false
    }
    return true
  } catch {
    return false
  }
}
