/** Rooms end with what they hold; those of a killed owner are cleared at the next start. */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashWalk, walk } from '../../src/base/files.ts'
import { runMark } from '../../src/base/process_marks.ts'
import { endMarked, markedProcesses } from '../../src/base/processes.ts'
import { openRoom, reapRooms } from '../../src/base/room.ts'
import { runProcess } from '../../src/base/spawn.ts'

/** Of this test alone: others may run at the same time. */
const mark = randomBytes(12).toString('hex')
const linux = process.platform === 'linux'
const waits = ['-e', 'setInterval(() => {}, 1000)']

beforeAll(() => {
  process.env.TMPDIR = mkdtempSync(path.join(tmpdir(), 'room-test-'))
})

describe.runIf(linux)('marked processes', () => {
  test('are found by their mark, also when they left their group', async () => {
    const child = spawn(process.execPath, waits, { detached: true, env: { [runMark]: 'm1' }, stdio: 'ignore' })
    await sleep(100)
    expect(await markedProcesses('m1')).toEqual([child.pid])
    expect(await markedProcesses('m')).toEqual([])
    expect(await endMarked('m1')).toBe(1)
    expect(await markedProcesses('m1')).toEqual([])
  })
})

describe('a room', () => {
  test('is gone at its end, read-only folders inside too', async () => {
    let folder = ''
    {
      await using room = await openRoom()
      folder = room.path
      mkdirSync(path.join(folder, 'locked'))
      writeFileSync(path.join(folder, 'locked/file'), '')
      execFileSync('chmod', ['555', path.join(folder, 'locked')])
    }
    expect(existsSync(folder)).toBe(false)
  })
  test.runIf(existsSync('/dev/shm'))('in memory is gone at its end too, with all that lies in it', async () => {
    const before = process.env.TMPDIR
    process.env.TMPDIR = mkdtempSync('/dev/shm/room-test-')
    try {
      for (const count of [3, 80]) {
        {
          await using room = await openRoom()
          mkdirSync(path.join(room.path, 'work/deep'), { recursive: true })
          symlinkSync('/etc', path.join(room.path, 'work/link'))
          for (let at = 0; at < count; at += 1) writeFileSync(path.join(room.path, 'work/deep', String(at)), 'x')
          execFileSync('chmod', ['555', path.join(room.path, 'work/deep')])
        }
        expect(readdirSync(process.env.TMPDIR)).toEqual([])
      }
      expect(existsSync('/etc')).toBe(true)
    } finally {
      rmSync(process.env.TMPDIR, { recursive: true, force: true })
      process.env.TMPDIR = before
    }
  })
  test.runIf(linux)(
    'ends what was started in it, whatever group that is in; where nothing was, nobody looks',
    async () => {
      const signal = new AbortController().signal
      await using room = await openRoom()
      await using quiet = await openRoom()
      const env = { PATH: process.env.PATH ?? '', [runMark]: room.mark }
      // another's process under the mark of a room that started none: a look would end it
      const other = spawn(process.execPath, waits, { env: { [runMark]: quiet.mark }, stdio: 'ignore' })
      await runProcess({
        command: 'sh',
        args: ['-c', 'setsid -f sleep 60 >/dev/null 2>&1; sleep 0.2'],
        cwd: room.path,
        env,
        signal,
      })
      await expect.poll(() => markedProcesses(room.mark)).toHaveLength(1)
      await Promise.all([room.endProcesses(), quiet.endProcesses()])
      expect(await markedProcesses(room.mark)).toEqual([])
      expect(await markedProcesses(quiet.mark)).toEqual([other.pid])
      other.kill('SIGKILL')
    },
  )
  test('of a living owner is left alone', async () => {
    await using room = await openRoom()
    await reapRooms()
    expect(existsSync(room.path)).toBe(true)
  })
  test.runIf(linux)('of a killed owner is cleared with its double-forked agent', async () => {
    const owner = spawn(process.execPath, waits, { stdio: 'ignore' })
    const room = path.join(tmpdir(), `whetstone-${owner.pid}-${mark}`)
    mkdirSync(path.join(room, 'home'), { recursive: true })
    spawn(process.execPath, waits, { detached: true, env: { [runMark]: mark }, stdio: 'ignore' }).unref()
    await sleep(100)
    await reapRooms()
    expect(await markedProcesses(mark)).toHaveLength(1)
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(await reapRooms()).toEqual({ rooms: 1, processes: 1 })
    expect(await markedProcesses(mark)).toEqual([])
    expect(existsSync(room)).toBe(false)
  })
  test.each([
    ['before it put anything in', []],
    ['while it removed the room', ['work/left.txt']],
  ])('of an owner killed %s is cleared', async (_when, files) => {
    const owner = spawn(process.execPath, waits, { stdio: 'ignore' })
    const folder = path.join(tmpdir(), `whetstone-${owner.pid}-${'a1'.repeat(12)}`)
    mkdirSync(folder)
    for (const file of files) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), '')
    }
    expect(await reapRooms()).toEqual({ rooms: 0, processes: 0 })
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(await reapRooms()).toEqual({ rooms: 1, processes: 0 })
    expect(existsSync(folder)).toBe(false)
  })
})

test('a link under the name of a room whose owner is gone leads to nothing that is removed', async () => {
  const owner = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(owner, 'exit')
  const elsewhere = mkdtempSync(path.join(tmpdir(), 'elsewhere-'))
  writeFileSync(path.join(elsewhere, 'mine.txt'), '')
  symlinkSync(elsewhere, path.join(tmpdir(), `whetstone-${owner.pid}-${'b2'.repeat(12)}`))
  expect(await reapRooms()).toEqual({ rooms: 0, processes: 0 })
  expect(readdirSync(elsewhere)).toEqual(['mine.txt'])
})

test('a folder that only looks like a room is left alone', async () => {
  const folder = path.join(tmpdir(), 'whetstone-999999999-notes')
  mkdirSync(folder)
  await reapRooms()
  expect(existsSync(folder)).toBe(true)
})

describe('walk', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'walk-test-'))
  mkdirSync(path.join(root, 'evals'))
  mkdirSync(path.join(root, 'docs'))
  writeFileSync(path.join(root, 'evals/key.json'), 'secret')
  writeFileSync(path.join(root, 'docs/a.md'), 'a')
  symlinkSync('docs/a.md', path.join(root, 'link.md'))
  symlinkSync('/etc/hostname', path.join(root, 'out'))
  symlinkSync('evals', path.join(root, 'sneaky'))
  symlinkSync('.', path.join(root, 'loop'))
  symlinkSync('nowhere', path.join(root, 'broken'))
  const skip = (relative: string) => relative === 'evals'

  test('gives files, links inside resolved, links out, into skipped parts, in circles and broken ones left out', async () => {
    const found = await walk(root, { skip })
    expect(found.files.map((file) => file.path)).toEqual(['docs/a.md', 'link.md'])
    expect(found.leftOut.map((one) => one.path).sort()).toEqual(['broken', 'loop', 'out', 'sneaky'])
  })
  test('never follows links when told so', async () => {
    expect((await walk(root, { skip, links: 'never' })).files.map((file) => file.path)).toEqual(['docs/a.md'])
  })
  test('hashes names and contents', async () => {
    const before = await hashWalk((await walk(root, { skip })).files)
    writeFileSync(path.join(root, 'docs/a.md'), 'b')
    expect(await hashWalk((await walk(root, { skip })).files)).not.toBe(before)
  })
})
