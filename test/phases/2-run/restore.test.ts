/** The working folder rebuilt for checks, as the agent left it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { RunRecord } from '../../../schemas/run.ts'
import { sha256 } from '../../../src/base/json.ts'
import { restoreWorkspace } from '../../../src/phases/2-run/restore.ts'

const root = mkdtempSync(path.join(tmpdir(), 'restore-'))

async function restored(asked: {
  start: string[]
  deleted: string[]
  left: string[]
  setup?: string
}): Promise<string> {
  const room = mkdtempSync(path.join(root, 'room-'))
  const [cwd, outputs, inputs] = ['work', 'outputs', 'inputs'].map((name) => path.join(room, name))
  const write = (folder: string | undefined, name: string, text: string) => {
    const file = path.join(folder ?? '', name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  for (const name of asked.left) write(outputs, name, 'left')
  const start = {
    ...{ cwd: cwd ?? '', git: null, setup: asked.setup ?? null, skillsFolder: '.claude/skills' },
    files: asked.start.map((name) => {
      const source = write(inputs, name, 'start')
      return { path: name, source, kind: 'file' as const, sha256: sha256('start'), bytes: 5 }
    }),
    ...{ env: { PATH: process.env.PATH ?? '' }, signal: new AbortController().signal },
  }
  const files = asked.left.map((name) => ({ path: name, bytes: 4 }))
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
