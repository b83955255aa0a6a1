/** Rooms end with what they hold; those of a killed owner are cleared at the next start. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openTempDir, reapTempDirs } from '../../../src/base/fs/temp_dir.ts'
import { endMarked, findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import { runMark } from '../../../src/base/process/process_marks.ts'
import { runProcess } from '../../../src/base/process/spawn.ts'
import { needs } from '../../require.ts'

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
    await expect.poll(() => findMarkedProcesses('m1')).toEqual([child.pid])
    expect(await findMarkedProcesses('m')).toEqual([])
    expect(await endMarked('m1')).toBe(1)
    expect(await findMarkedProcesses('m1')).toEqual([])
  })
})

describe('a room', () => {
  test('is gone at its end, read-only folders inside too', async () => {
    let folder = ''
    {
      await using room = await openTempDir()
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
          await using room = await openTempDir()
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
  test.each<[string, (room: string, target: string) => void]>([
    ['as its home', (room, target) => symlinkSync(target, path.join(room, 'home'))],
    [
      'in its working folder',
      (room, target) => {
        mkdirSync(path.join(room, 'work'))
        symlinkSync(target, path.join(room, 'work/link'))
      },
    ],
  ])('with a link that an agent left %s: what that leads to stays', async (_where, link) => {
    const target = mkdtempSync(path.join(tmpdir(), 'elsewhere-'))
    writeFileSync(path.join(target, 'mine.txt'), '')
    const room = await openTempDir()
    link(room.path, target)
    await room[Symbol.asyncDispose]()
    expect(existsSync(room.path)).toBe(false)
    expect(readdirSync(target)).toEqual(['mine.txt'])
  })
  test.runIf(linux)(
    'ends what was started in it, whatever group that is in; where nothing was, nobody looks',
    async () => {
      const signal = new AbortController().signal
      await using room = await openTempDir()
      await using quiet = await openTempDir()
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
      await expect.poll(() => findMarkedProcesses(room.mark)).toHaveLength(1)
      await Promise.all([room.endProcesses(), quiet.endProcesses()])
      expect(await findMarkedProcesses(room.mark)).toEqual([])
      expect(await findMarkedProcesses(quiet.mark)).toEqual([other.pid])
      other.kill('SIGKILL')
    },
  )
  test('of a living owner is left alone', async () => {
    await using room = await openTempDir()
    await reapTempDirs()
    expect(existsSync(room.path)).toBe(true)
  })
  test.runIf(linux)('of a killed owner is cleared with its double-forked agent', async () => {
    const owner = spawn(process.execPath, waits, { stdio: 'ignore' })
    const room = path.join(tmpdir(), `user-${owner.pid}-${mark}`)
    mkdirSync(path.join(room, 'home'), { recursive: true })
    spawn(process.execPath, waits, { detached: true, env: { [runMark]: mark }, stdio: 'ignore' }).unref()
    await expect.poll(() => findMarkedProcesses(mark)).toHaveLength(1)
    await reapTempDirs()
    expect(await findMarkedProcesses(mark)).toHaveLength(1)
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(await reapTempDirs()).toEqual({ rooms: 1, processes: 1 })
    expect(await findMarkedProcesses(mark)).toEqual([])
    expect(existsSync(room)).toBe(false)
  })
  test.each([
    ['before it put anything in', []],
    ['while it removed the room', ['work/left.txt']],
  ])('of an owner killed %s is cleared', async (_when, files) => {
    const owner = spawn(process.execPath, waits, { stdio: 'ignore' })
    const folder = path.join(tmpdir(), `user-${owner.pid}-${'a1'.repeat(12)}`)
    mkdirSync(folder)
    for (const file of files) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), '')
    }
    expect(await reapTempDirs()).toEqual({ rooms: 0, processes: 0 })
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(await reapTempDirs()).toEqual({ rooms: 1, processes: 0 })
    expect(existsSync(folder)).toBe(false)
  })
})

const nameBytes = (folder: string) =>
  execFileSync('sh', ['-c', 'mkdir "$(printf \'a\\377b\')"; touch "$(printf \'a\\377b\')/c"'], { cwd: folder })

describe('what an agent can make of a folder', () => {
  const hostile: [string, (folder: string) => void][] = [
    ['with names that are not UTF-8', nameBytes],
    ['with a line end in a name', (folder) => mkdirSync(path.join(folder, 'one\ntwo'))],
    [
      'with folders that nobody may enter',
      (folder) => {
        mkdirSync(path.join(folder, 'a/b/c'), { recursive: true })
        execFileSync('chmod', ['000', path.join(folder, 'a/b'), path.join(folder, 'a')])
      },
    ],
  ]
  test.each(hostile)('%s: the room is removed at its end', async (_what, make) => {
    let folder = ''
    {
      await using room = await openTempDir()
      folder = room.path
      make(folder)
    }
    expect(existsSync(folder)).toBe(false)
  })
})

const probe = mkdtempSync(path.join(tmpdir(), 'immutable-'))
const canLock = spawnSync('sh', ['-c', 'touch one && chattr +i one && chattr -i one'], { cwd: probe }).status === 0
needs(
  'immutable files',
  canLock,
  'root on ext4, with chattr',
)('a room that cannot be removed', () => {
  test('is named once, and no later start looks at it', async () => {
    const owner = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
    await once(owner, 'exit')
    const folder = path.join(tmpdir(), `user-${owner.pid}-${'c3'.repeat(12)}`)
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'locked'), '')
    execFileSync('sh', ['-c', 'chattr +i locked'], { cwd: folder })
    const left: string[] = []
    expect(await reapTempDirs((one) => left.push(one))).toEqual({ rooms: 0, processes: 0 })
    const aside = path.join(realpathSync(tmpdir()), `user-left-${'c3'.repeat(12)}`)
    expect(left.map((one) => realpathSync(one))).toEqual([aside])
    expect(await reapTempDirs((one) => left.push(one))).toEqual({ rooms: 0, processes: 0 })
    expect(left).toHaveLength(1)
    execFileSync('sh', ['-c', 'chattr -i locked'], { cwd: aside })
    rmSync(aside, { recursive: true })
  })
})

test('a link under the name of a room whose owner is gone leads to nothing that is removed', async () => {
  const owner = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(owner, 'exit')
  const elsewhere = mkdtempSync(path.join(tmpdir(), 'elsewhere-'))
  writeFileSync(path.join(elsewhere, 'mine.txt'), '')
  symlinkSync(elsewhere, path.join(tmpdir(), `user-${owner.pid}-${'b2'.repeat(12)}`))
  expect(await reapTempDirs()).toEqual({ rooms: 0, processes: 0 })
  expect(readdirSync(elsewhere)).toEqual(['mine.txt'])
})

test('a folder that only looks like a room is left alone', async () => {
  const folder = path.join(tmpdir(), 'user-999999999-notes')
  mkdirSync(folder)
  await reapTempDirs()
  expect(existsSync(folder)).toBe(true)
})
