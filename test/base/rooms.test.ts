/** Rooms that one run after another gets: a folder whose home was left as it was made is used again; of what was done in it nothing stays. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { reapRooms } from '../../src/base/room.ts'
import { type HomeRoom, Rooms } from '../../src/base/rooms.ts'

beforeEach(() => {
  const before = process.env.TMPDIR
  process.env.TMPDIR = mkdtempSync(path.join(tmpdir(), 'rooms-test-'))
  return () => {
    process.env.TMPDIR = before
  }
})

const there = () => readdirSync(tmpdir())

/** A room in which this was done, ended; what is there of its folder then. */
async function ended(rooms: Rooms, doing: (room: HomeRoom) => unknown) {
  const room = await rooms.open()
  await sleep(20) // a clock of files ticks every few milliseconds, as no agent is faster
  await doing(room)
  await room[Symbol.asyncDispose]()
  return { room, isKept: existsSync(room.path) }
}

const file = (...parts: string[]) => writeFileSync(path.join(...parts), 'x')

describe('a room that was left as it was made', () => {
  test.each<[string, (room: HomeRoom) => unknown]>([
    ['nothing', () => {}],
    ['its home was read', ({ home }) => readdirSync(home)],
    [
      'a working folder beside the home, with a skill and what an agent left',
      ({ path: place }) => {
        mkdirSync(path.join(place, 'work/.claude/skills/quick'), { recursive: true })
        file(place, 'work/.claude/skills/quick/SKILL.md')
        file(place, 'work/answer.txt')
        file(place, 'stderr.log')
      },
    ],
  ])('is used again under another name and mark: %s', async (_, doing) => {
    await using rooms = new Rooms()
    const { room, isKept } = await ended(rooms, doing)
    expect(isKept).toBe(true)
    const kept = lstatSync(room.home).ino
    await using next = await rooms.open()
    expect(lstatSync(next.home).ino).toBe(kept)
    expect(there()).toEqual([path.basename(next.path)])
    expect(next.path).not.toBe(room.path)
    expect(next.mark).not.toBe(room.mark)
    expect(next.path.endsWith(next.mark)).toBe(true)
    expect(readdirSync(next.path, { recursive: true }).sort()).toEqual(['home', path.join('home', 'tmp')])
  })
  test('again and again', async () => {
    await using rooms = new Rooms()
    const inodes = new Set<number>()
    for (let run = 0; run < 3; run += 1) {
      const { room } = await ended(rooms, ({ home }) => inodes.add(lstatSync(home).ino))
      expect(existsSync(room.path)).toBe(true)
    }
    expect(inodes.size).toBe(1)
  })
})

const elsewhere = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'elsewhere-'))
  mkdirSync(path.join(folder, 'tmp'))
  return folder
}

describe('a room in whose home something was done is removed', () => {
  test.each<[string, (room: HomeRoom) => unknown]>([
    ['a file', ({ home }) => file(home, '.bashrc')],
    ['a file in tmp', ({ home }) => file(home, 'tmp/left')],
    ['a folder', ({ home }) => mkdirSync(path.join(home, '.config'))],
    [
      'a file that is gone again',
      ({ home }) => {
        file(home, 'x')
        unlinkSync(path.join(home, 'x'))
      },
    ],
    ['other rights', ({ home }) => chmodSync(home, 0o777)],
    [
      'other rights of tmp, set back',
      ({ home }) => [0o700, 0o755].map((mode) => chmodSync(path.join(home, 'tmp'), mode)),
    ],
    ['other rights of the room', ({ path: place }) => chmodSync(place, 0o755)],
    ['another time', ({ home }) => utimesSync(path.join(home, 'tmp'), 1, 1)],
    ['no tmp', ({ home }) => rmdirSync(path.join(home, 'tmp'))],
    [
      'another tmp',
      ({ home }) => {
        rmdirSync(path.join(home, 'tmp'))
        mkdirSync(path.join(home, 'tmp'))
      },
    ],
    ['no home', ({ home }) => rmSync(home, { recursive: true })],
    [
      'another home',
      ({ home }) => {
        renameSync(home, `${home}-before`)
        mkdirSync(path.join(home, 'tmp'), { recursive: true })
      },
    ],
    [
      'much beside it',
      ({ path: place }) => {
        mkdirSync(path.join(place, 'work'))
        for (let at = 0; at < 80; at += 1) file(place, 'work', String(at))
      },
    ],
  ])('%s', async (_, doing) => {
    await using rooms = new Rooms()
    const { isKept } = await ended(rooms, doing)
    expect(isKept).toBe(false)
    await using next = await rooms.open()
    expect(readdirSync(next.path, { recursive: true }).sort()).toEqual(['home', path.join('home', 'tmp')])
    expect(lstatSync(next.home).mode & 0o777).toBe(0o777 & ~process.umask())
  })
  test('what came in the moment it was made, before the clock of files ticked', async () => {
    await using rooms = new Rooms()
    const room = await rooms.open()
    file(room.home, 'tmp/quick')
    await room[Symbol.asyncDispose]()
    expect(existsSync(room.path)).toBe(false)
  })
})

describe('a link that an agent left leads to nothing that is removed', () => {
  test.each<[string, (room: HomeRoom, target: string) => unknown]>([
    ['as its home', ({ home }, target) => [rmSync(home, { recursive: true }), symlinkSync(target, home)]],
    ['in its home', ({ home }, target) => symlinkSync(target, path.join(home, 'link'))],
    [
      'as its tmp',
      ({ home }, target) => [rmdirSync(path.join(home, 'tmp')), symlinkSync(target, path.join(home, 'tmp'))],
    ],
    ['as its working folder', ({ path: place }, target) => symlinkSync(target, path.join(place, 'work'))],
    [
      'in its working folder',
      ({ path: place }, target) => [
        mkdirSync(path.join(place, 'work')),
        symlinkSync(target, path.join(place, 'work/a')),
      ],
    ],
  ])('%s', async (_, doing) => {
    const target = elsewhere()
    {
      await using rooms = new Rooms()
      await ended(rooms, (room) => doing(room, target))
    }
    expect(there()).toEqual([path.basename(target)])
    expect(readdirSync(target)).toEqual(['tmp'])
  })
})

describe('what is kept', () => {
  test('is gone with its rooms, and who ends later is removed at once', async () => {
    const rooms = new Rooms()
    await ended(rooms, () => {})
    const late = await rooms.open()
    const [one, two] = [await rooms.open(), await rooms.open()]
    await one[Symbol.asyncDispose]()
    await two[Symbol.asyncDispose]()
    expect(there()).toHaveLength(3)
    await rooms[Symbol.asyncDispose]()
    expect(there()).toEqual([path.basename(late.path)])
    await late[Symbol.asyncDispose]()
    expect(there()).toEqual([])
  })
  test('is left alone while its owner lives', async () => {
    await using rooms = new Rooms()
    const { room } = await ended(rooms, () => {})
    expect(await reapRooms()).toEqual({ rooms: 0, processes: 0 })
    expect(existsSync(room.path)).toBe(true)
  })
  test.each<[string, (kept: HomeRoom) => unknown]>([
    ['is gone', ({ path: place }) => rmSync(place, { recursive: true })],
    ['has no tmp any more', ({ home }) => rmdirSync(path.join(home, 'tmp'))],
    ['holds something', ({ home }) => file(home, 'x')],
  ])('and %s meanwhile gives way to a new one', async (_, doing) => {
    {
      await using rooms = new Rooms()
      const { room } = await ended(rooms, () => {})
      doing(room)
      await using next = await rooms.open()
      expect(readdirSync(next.path, { recursive: true }).sort()).toEqual(['home', path.join('home', 'tmp')])
      expect(there()).toEqual([path.basename(next.path)])
    }
    expect(there()).toEqual([])
  })
  test.runIf(existsSync('/dev/shm'))('elsewhere, as TMPDIR was, is no room for this one', async () => {
    const before = tmpdir()
    const other = mkdtempSync('/dev/shm/rooms-test-')
    try {
      {
        await using rooms = new Rooms()
        await ended(rooms, () => {})
        process.env.TMPDIR = other
        await using next = await rooms.open()
        expect(path.dirname(next.path)).toBe(other)
      }
      expect([...readdirSync(before), ...readdirSync(other)]).toEqual([])
    } finally {
      rmSync(other, { recursive: true, force: true })
    }
  })
})
