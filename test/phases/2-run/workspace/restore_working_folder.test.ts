/** The working folder rebuilt for checks, as the agent left it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunRecord } from '../../../../schemas/run.ts'
import { sha256 } from '../../../../src/base/json/json.ts'
import { restoreWorkspace } from '../../../../src/phases/2-run/workspace/restore_working_folder.ts'

const root = mkdtempSync(path.join(tmpdir(), 'restore-'))

async function restored(asked: {
  start: string[]
  deleted: string[]
  left: string[]
  setup?: string
  /** What the record says was left; absent: what is. */
  said?: string[]
  room?: string
}): Promise<string> {
  const { room = mkdtempSync(path.join(root, 'room-')) } = asked
  const [cwd, outputs, inputs] = ['work', 'outputs', 'inputs'].map((name) => path.join(room, name))
  const write = (folder: string | undefined, name: string, text: string) => {
    const file = path.join(folder ?? '', name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  for (const name of asked.left) write(outputs, name, 'left')
  const start = {
    ...{ cwd: cwd ?? '', git: null, setup: asked.setup ?? null, skillsFolders: ['.claude/skills'] },
    files: asked.start.map((name) => {
      const source = write(inputs, name.replaceAll('../', ''), 'start')
      return { path: name, source, kind: 'file' as const, sha256: sha256('start'), bytes: 5 }
    }),
    ...{ env: { PATH: process.env.PATH ?? '' }, signal: new AbortController().signal },
  }
  const files = (asked.said ?? asked.left).map((name) => ({ path: name, bytes: 4 }))
  const record = { outputs: { files, deleted: asked.deleted } } as unknown as RunRecord
  await restoreWorkspace(start, record, outputs ?? '')
  return cwd ?? ''
}

test.each([
  [
    'a folder that has become a file',
    { start: ['x/a.txt', 'x/b/c.txt'], deleted: ['x/a.txt', 'x/b/c.txt'], left: ['x'] },
  ],
  ['a file that has become a folder', { start: ['y'], deleted: ['y'], left: ['y/x'] }],
  [
    'a folder of setup that has become a file',
    { start: [], deleted: ['x/a'], left: ['x'], setup: 'mkdir -p x/none; echo > x/a' },
  ],
  ['a pipe of setup that has become a file', { start: [], deleted: [], left: ['x'], setup: 'mkfifo x' }],
  ['a link of setup that has become a file', { start: [], deleted: [], left: ['x'], setup: 'ln -s /etc x' }],
])('%s', async (_, asked) => {
  const cwd = await restored(asked)
  const found = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(found.map((entry) => path.relative(cwd, path.join(entry.parentPath, entry.name)))).toEqual(asked.left)
  expect(readFileSync(path.join(cwd, asked.left[0] ?? ''), 'utf8')).toBe('left')
})

test('a folder whose last file is deleted is gone; one that holds another stays, and so does the working folder', async () => {
  const start = ['x/a/b/c.txt', 'y/a.txt', 'y/b.txt']
  const cwd = await restored({ start, deleted: ['x/a/b/c.txt', 'y/a.txt'], left: [] })
  expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(['y', 'y/b.txt'])
  expect(readdirSync(await restored({ start: ['a'], deleted: ['a'], left: [] }))).toEqual([])
})

describe('a record that was not made here', () => {
  /** A file of the user's beside the room; gives what is left of it. */
  function besideARoom() {
    const above = mkdtempSync(path.join(root, 'user-'))
    const room = path.join(above, 'room')
    const mine = path.join(above, 'mine')
    mkdirSync(path.join(room, 'work/a'), { recursive: true })
    mkdirSync(path.join(mine, 'deep'), { recursive: true })
    writeFileSync(path.join(mine, 'deep/notes.txt'), 'mine')
    const left = () => readdirSync(above, { recursive: true }).filter((name) => !`${name}`.startsWith('room'))
    return { room, mine, left, notes: () => readFileSync(path.join(mine, 'deep/notes.txt'), 'utf8') }
  }
  const whole = ['mine', 'mine/deep', 'mine/deep/notes.txt']

  test.each([
    ['deletes', { deleted: ['../../mine/deep/notes.txt'] }],
    ['deletes, by a folder of the working folder,', { deleted: ['a/../../../mine/deep/notes.txt'] }],
    ['empties', { deleted: ['../../mine/deep/none'] }],
    ['overwrites', { left: ['../../mine/deep/notes.txt'] }],
    ['puts a file in the place of', { left: ['../../mine'] }],
    ['adds to', { left: ['../../mine/new'] }],
    ['begins at, and puts a file into', { start: ['../../mine/new'] }],
  ])('%s nothing outside of the working folder', async (_, asked) => {
    const { room, left, notes } = besideARoom()
    const names = { start: [], deleted: [], left: [], ...asked }
    const made = restored({ ...names, ...('left' in asked && { left: [], said: asked.left }), room })
    await expect(made).rejects.toThrow(/outside the working folder/)
    expect(left()).toEqual(whole)
    expect(notes()).toBe('mine')
  })
  test.each([
    ['a file', 'mine/deep/notes.txt', 'x', 'x'],
    ['a file in a folder', 'mine/deep', 'x', 'x/notes.txt'],
  ])('brings %s of the user into no check by a link in its outputs', async (_, of, link, said) => {
    const { room } = besideARoom()
    mkdirSync(path.join(room, 'outputs'))
    symlinkSync(path.join(room, '..', of), path.join(room, 'outputs', link))
    const made = restored({ start: [], deleted: [], left: [], said: [said], room })
    await expect(made).rejects.toThrow(`outputs/${said}: not a file in the outputs folder`)
    expect(existsSync(path.join(room, 'work', said))).toBe(false)
  })
})
