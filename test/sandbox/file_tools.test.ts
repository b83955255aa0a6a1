/** The file tools of the SDK engines run in our own process: they keep to what the sandbox shows, whatever links an agent makes. */
import { existsSync } from 'node:fs'
import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SandboxChoice } from '../../src/base/sandbox/choose.ts'
import { openToolPlace } from '../../src/engines/tool_loop/loop.ts'
import { selectTools } from '../../src/engines/tool_loop/tools/table.ts'
import { confine } from '../../src/phases/2-run/workspace/sandbox_policy.ts'
import { stageOfEachTest } from '../engines/stage.ts'

const canary = 'CANARY-file-tools'
const stage = stageOfEachTest()
let outside: string
beforeEach(async () => {
  outside = await realpath(await mkdtemp(path.join(tmpdir(), 'outside-')))
  await mkdir(path.join(outside, 'project/suite'), { recursive: true })
  await writeFile(path.join(outside, 'project/suite/key.txt'), canary)
  await writeFile(path.join(outside, 'project/readme.txt'), 'may be read')
  await writeFile(path.join(outside, 'key.txt'), canary)
  await mkdir(path.join(outside, 'project/.git'))
  for (const name of ['.env', '.env.local', '.git/key.txt'])
    await writeFile(path.join(outside, 'project', name), canary)
})
afterEach(() => rm(outside, { recursive: true, force: true }))

/** The file tools need no program: the policy alone is what they keep to. */
const choice: SandboxChoice = { mechanism: 'bubblewrap', program: 'bwrap', reason: '', network: null, readable: [] }

async function call(name: string, input: object, sandboxed: boolean, readable: string[] = []) {
  const skills = await stage.skill()
  const parts = {
    writable: [stage.cwd, stage.home],
    readable: [path.join(outside, 'project'), ...readable],
    readOnly: skills.map((skill) => skill.path),
    hidden: [path.join(outside, 'project/suite')],
    settings: undefined,
  }
  const sandbox = sandboxed ? confine(choice, parts) : null
  const place = await openToolPlace(stage.task({ sandbox, skills }), new AbortController().signal)
  const tool = selectTools('all').find((one) => one.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return await tool.run(input, place)
}

const at = (name: string) => path.join(outside, name)
const inside = (name: string) => path.join(stage.cwd, name)

test('a link of the agent to an absolute path inside is followed, and stays in bounds', async () => {
  await writeFile(inside('out.txt'), 'made')
  await symlink('/home/user/project/out.txt', inside('abs.txt'))
  await symlink('/home/user/project', inside('self'))
  await symlink('/home/user/project/key', inside('twice'))
  await symlink(at('key.txt'), inside('key'))
  const skills = await stage.skill()
  const places = [{ from: stage.cwd, at: '/home/user/project' }]
  const parts = { writable: [stage.cwd], readable: [], readOnly: [], hidden: [], settings: undefined, places }
  const task = stage.task({ sandbox: confine(choice, parts), skills })
  const place = await openToolPlace(task, new AbortController().signal)
  const read = selectTools('all').find(({ name }) => name === 'Read')
  const readAt = async (file_path: string) => JSON.stringify(await read?.run({ file_path }, place).catch(String))
  expect(await readAt('abs.txt')).toContain('made')
  expect(await readAt('self/out.txt')).toContain('made')
  expect(await readAt('twice')).toContain('no such file or folder')
})

describe('out of bounds, and free without a sandbox', () => {
  test.each([
    ['by its path', () => at('key.txt')],
    ['hidden within a folder that may be read', () => at('project/suite/key.txt')],
    ['.env files around the suite', () => at('project/.env')],
    ['.env files of another name', () => at('project/.env.local')],
    ['the git folder around the suite', () => at('project/.git/key.txt')],
    ['by a link', () => symlink(outside, inside('way')).then(() => 'way/key.txt')],
    ['by a link to the file', () => symlink(at('key.txt'), inside('key')).then(() => 'key')],
    ['by ..', () => `${path.relative(stage.cwd, outside)}/key.txt`],
  ])('Read %s', async (_how, lead) => {
    const file_path = await lead()
    expect(await call('Read', { file_path }, true)).toMatchObject({ isError: true })
    expect((await call('Read', { file_path }, false)).text).toContain(canary)
  })

  test.each([
    ['by its path', () => at('new.txt'), 'new.txt'],
    ['by a link to the folder', () => symlink(outside, inside('way')).then(() => 'way/new.txt'), 'new.txt'],
    ['by a link that leads to nothing yet', () => symlink(at('new.txt'), inside('l')).then(() => 'l'), 'new.txt'],
    ['into a folder that may be read', () => at('project/new.txt'), 'project/new.txt'],
  ])('Write %s', async (_how, lead, made) => {
    const file_path = await lead()
    await call('Write', { file_path, content: 'x' }, true) // refused, or written to the run's own /tmp
    expect(existsSync(at(made))).toBe(false)
    expect(await call('Write', { file_path, content: 'x' }, false)).toMatchObject({ isError: false })
    expect(existsSync(at(made))).toBe(true)
  })

  test('Edit of what may only be read', async () => {
    const input = { file_path: at('project/readme.txt'), old_string: 'may', new_string: 'must' }
    expect(await call('Edit', input, true)).toMatchObject({ isError: true })
    expect(await call('Edit', input, false)).toMatchObject({ isError: false })
  })

  test('Edit of the skill', async () => {
    const input = { file_path: '.claude/skills/demo/SKILL.md', old_string: 'Shows', new_string: 'Hides' }
    expect(await call('Edit', input, true)).toMatchObject({ isError: true })
    expect(await call('Edit', input, false)).toMatchObject({ isError: false })
  })

  test('Glob names nothing hidden', async () => {
    const input = { pattern: '**/*.txt', path: at('project') }
    const { text } = await call('Glob', input, true)
    expect(text).toContain('readme.txt')
    expect(text).not.toContain('key.txt')
    expect((await call('Glob', input, false)).text).toContain('key.txt')
    expect(await call('Glob', { pattern: '*', path: outside }, true)).toMatchObject({ isError: true })
  })

  test.each(['way/**/*', 'way/*', '{way,x}/*.txt', '**/key.txt'])('Glob goes through no link: %s', async (pattern) => {
    await symlink(outside, inside('way'))
    for (const sandboxed of [true, false])
      expect((await call('Glob', { pattern }, sandboxed)).text).not.toContain('key')
    await writeFile(inside('key.txt'), '')
    expect((await call('Glob', { pattern: '**/key.txt' }, true)).text).toBe('key.txt')
  })

  test("Whetstone's own processes", async () => {
    expect(await call('Read', { file_path: '/proc/self/environ' }, true)).toMatchObject({ isError: true })
  })
})

describe('in bounds', () => {
  test('a read folder, the system and the own room', async () => {
    expect((await call('Read', { file_path: at('project/readme.txt') }, true)).text).toContain('may be read')
    expect(await call('Read', { file_path: '/etc/hostname' }, true)).toMatchObject({ isError: true })
    expect(await call('Write', { file_path: 'deep/new.txt', content: 'x' }, true)).toMatchObject({ isError: false })
    await link(inside('deep/new.txt'), inside('same.txt'))
    expect((await call('Read', { file_path: 'same.txt' }, true)).text).toContain('x')
  })

  test('a .env file that is readable by itself, and no other', async () => {
    const [own, other] = [at('project/.env'), at('project/.env.local')]
    expect((await call('Read', { file_path: own }, true, [own])).text).toContain(canary)
    expect(await call('Read', { file_path: other }, true, [own])).toMatchObject({ isError: true })
  })

  test('/tmp is a folder of the run', async () => {
    const file_path = `/tmp/note-${path.basename(outside)}.txt`
    expect(await call('Write', { file_path, content: 'kept' }, true)).toMatchObject({ isError: false })
    expect(existsSync(file_path)).toBe(false)
    expect(await readFile(path.join(stage.home, 'tmp', path.basename(file_path)), 'utf8')).toBe('kept')
    expect((await call('Read', { file_path }, true)).text).toContain('kept')
  })
})
