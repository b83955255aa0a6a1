/** What is hidden stays so by whatever name it, or the folder that would show it, is reached. */
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runProcess } from '../../src/base/process/spawn.ts'
import { chooseSandbox, noSandboxWish } from '../../src/base/sandbox/choose.ts'
import { findCommandParts } from '../../src/base/sandbox/programs.ts'
import { openToolPlace } from '../../src/engines/tool_loop/loop.ts'
import { selectTools } from '../../src/engines/tool_loop/tools/table.ts'
import { confine } from '../../src/phases/2-run/workspace/sandbox_policy.ts'
import { openStage } from '../engines/stage.ts'
import { needsSandbox } from './needs_sandbox.ts'

const canary = 'CANARY-of-the-suite'

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'aliases-')))
  await mkdir(path.join(root, 'real/project/suite'), { recursive: true })
  await mkdir(path.join(root, 'room'))
  await writeFile(path.join(root, 'real/project/suite/key.txt'), canary)
  await writeFile(path.join(root, 'real/project/readme.txt'), 'may be read')
  await symlink(path.join(root, 'real'), path.join(root, 'alias'))
  await symlink('suite', path.join(root, 'real/project/same'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** All that a process in the sandbox can read of the project, by each of its names. */
async function seen({ shown, hidden }: { shown: string; hidden: string[] }): Promise<string> {
  const choice = await chooseSandbox(noSandboxWish, process.env.PATH ?? '')
  const cwd = path.join(root, 'room')
  const parts = { writable: [cwd], readable: [path.join(root, shown)], settings: undefined }
  const sandbox = confine(choice, { ...parts, hidden: hidden.map((name) => path.join(root, name)) })
  const files = ['real', 'alias'].flatMap((name) =>
    ['suite/key.txt', 'same/key.txt', 'readme.txt'].map((file) => `${root}/${name}/project/${file}`),
  )
  const args = ['-c', `cat ${files.join(' ')} 2>/dev/null || true`]
  const env = { PATH: process.env.PATH ?? '' }
  const { stdout } = await runProcess({ command: 'sh', args, cwd, env, sandbox, signal: AbortSignal.timeout(60_000) })
  return stdout
}

needsSandbox('a suite', () => {
  test.each([
    ['a folder is shown by its place, the suite is named by a link', 'real/project', ['alias/project/suite']],
    ['a folder is shown by a link, the suite is named by its place', 'alias/project', ['real/project/suite']],
    ['both are named by the link', 'alias/project', ['alias/project/suite']],
    ['the suite is named by a link beside it', 'real/project', ['alias/project/same']],
    ['the folder above it is hidden too, by another name', 'real', ['alias/project/suite', 'real/project/suite']],
  ])('is not seen where %s', async (_, shown, hidden) => {
    const said = await seen({ shown, hidden })
    expect(said).toContain('may be read')
    expect(said).not.toContain(canary)
  })
  test('nor anything where what is shown lies in what is hidden', async () => {
    expect(await seen({ shown: 'real/project', hidden: ['alias'] })).toBe('')
  })
  test('control: what is not hidden is seen', async () => {
    expect(await seen({ shown: 'alias/project', hidden: [] })).toContain(canary)
  })
})

needsSandbox('the state folder with the signing key', () => {
  const before = process.env.XDG_STATE_HOME
  afterEach(() => {
    if (before === undefined) delete process.env.XDG_STATE_HOME
    else process.env.XDG_STATE_HOME = before
  })
  /** What a process reads of a folder whetstone in a folder that is shown, by a link too. */
  async function readable(state: string): Promise<string> {
    const file = 'real/project/suite/whetstone/signing_key'
    await mkdir(path.dirname(path.join(root, file)), { recursive: true })
    await writeFile(path.join(root, file), canary)
    process.env.XDG_STATE_HOME = path.join(root, state)
    const choice = await chooseSandbox(noSandboxWish, process.env.PATH ?? '')
    const cwd = path.join(root, 'room')
    const parts = { writable: [cwd], readable: [path.join(root, 'real')], hidden: [], settings: undefined }
    const args = ['-c', `cat ${root}/${file} 2>/dev/null; cat ${root}/real/project/readme.txt`]
    const env = { PATH: process.env.PATH ?? '' }
    const request = { command: 'sh', args, cwd, env, sandbox: confine(choice, parts) }
    return (await runProcess({ ...request, signal: AbortSignal.timeout(60_000) })).stdout
  }
  test.each(['real/project/suite', 'alias/project/same'])(
    'is not seen in a folder that is shown: %s',
    async (state) => {
      expect(await readable(state)).toBe('may be read')
    },
  )
  test('control: a folder of this name elsewhere is', async () => {
    expect(await readable('room')).toContain(canary)
  })
})

needsSandbox('the room of another run', () => {
  const before = process.env.TMPDIR
  afterEach(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })

  /** What an agent in one room reads of its own files, of what lies beside its script, and of another room. */
  async function readable(rooms: string, hidden: string[] = []): Promise<string> {
    const choice = await chooseSandbox(noSandboxWish, process.env.PATH ?? '')
    const [cwd, other] = [path.join(root, 'real/tmp/own'), path.join(root, 'real/tmp/other')]
    for (const folder of [cwd, other]) await mkdir(folder, { recursive: true })
    await writeFile(path.join(cwd, 'own.txt'), 'its own')
    await writeFile(path.join(other, 'note.txt'), canary)
    await mkdir(path.join(root, rooms), { recursive: true })
    process.env.TMPDIR = path.join(root, rooms)
    const parts = { writable: [cwd], readable: [path.join(root, 'real')], hidden, settings: undefined }
    const sandbox = confine(choice, parts)
    const files = [`${cwd}/own.txt`, `${root}/real/project/readme.txt`, `${other}/note.txt`]
    const shell = {
      command: 'sh',
      args: ['-c', `cat ${files.join(' ')}; touch ${cwd}/made ${root}/real/tmp/made; true`],
    }
    const env = { PATH: process.env.PATH ?? '' }
    const { stdout } = await runProcess({ ...shell, cwd, env, sandbox, signal: AbortSignal.timeout(60_000) })
    expect(await readdir(cwd)).toContain('made')
    expect(await readdir(path.dirname(cwd))).not.toContain('made')
    return stdout
  }

  test('is not seen where a shown folder holds all rooms', async () => {
    const said = await readable('real/tmp')
    expect(said).toContain('its own')
    expect(said).toContain('may be read')
    expect(said).not.toContain(canary)
  })
  test('nor where what is hidden holds all rooms', async () => {
    const said = await readable('real/tmp/rooms', [path.join(root, 'real/tmp')])
    expect(said).toContain('its own')
    expect(said).not.toContain(canary)
  })
  test('what lies beside a script is, also where all rooms lie there', async () => {
    process.env.TMPDIR = path.join(root, 'real/project/suite')
    await writeFile(path.join(root, 'real/project/agent.mjs'), '')
    expect(await findCommandParts([path.join(root, 'real/project/agent.mjs')])).toContain(
      path.join(root, 'real/project'),
    )
    expect(await findCommandParts([path.join(root, 'real/project/suite/key.txt')])).not.toContain(process.env.TMPDIR)
  })
  test('control: it is where that folder is another', async () => {
    expect(await readable('room')).toContain(canary)
  })
})

needsSandbox('the tools of an SDK engine', () => {
  test('/tmp is the same for Bash and Write', async () => {
    await using stage = await openStage()
    const choice = await chooseSandbox(noSandboxWish, process.env.PATH ?? '')
    const sandbox = confine(choice, { writable: [stage.cwd, stage.home], hidden: [], settings: undefined })
    const place = await openToolPlace(stage.task({ sandbox }), new AbortController().signal)
    const run = (name: string, input: object) =>
      selectTools('all')
        .find((one) => one.name === name)
        ?.run(input, place)
    await run('Bash', { command: 'echo from bash > /tmp/a.txt' })
    expect(await run('Read', { file_path: '/tmp/a.txt' })).toMatchObject({ text: expect.stringContaining('from bash') })
    await run('Write', { file_path: '/tmp/b.txt', content: 'from write' })
    expect(await run('Bash', { command: 'cat /tmp/a.txt /tmp/b.txt' })).toMatchObject({
      text: expect.stringMatching(/from bash\nfrom write/),
    })
  })
})

/** Starts in a process that sees other mounts: what a shell in the sandbox prints. */
const inSandbox = `
  const load = (name) => import(process.env.DIST + '/src/' + name)
  const { runProcess } = await load('base/process/spawn.js')
  const { chooseSandbox, noSandboxWish } = await load('base/sandbox/choose.js')
  const { confine } = await load('phases/2-run/workspace/sandbox_policy.js')
  const [hidden, cwd] = [JSON.parse(process.env.HIDDEN), process.env.TMPDIR + '/own']
  const sandbox = confine(await chooseSandbox(noSandboxWish, process.env.PATH), { writable: [cwd], hidden, settings: undefined })
  const env = { PATH: process.env.PATH }
  const args = ['-c', process.env.COMMAND]
  const end = await runProcess({ command: 'sh', args, cwd, env, sandbox, signal: AbortSignal.timeout(60_000) })
  process.stdout.write(end.stdout)`

needsSandbox('the settings of this machine', () => {
  /** What a login shell in the sandbox says, and what it finds in folders of settings, on a machine that has the canary there. */
  async function seen(names: readonly string[]): Promise<string> {
    const own = path.join(root, 'tmp/own')
    await mkdir(own, { recursive: true })
    const login = path.join(root, 'login')
    await writeFile(login, `export https_proxy=http://user:${canary}@proxy:8080\n`)
    const there = names.filter((name) => existsSync(name))
    expect(there).not.toEqual([])
    const settings = path.join(root, 'settings')
    await mkdir(settings, { recursive: true })
    await copyFile(login, path.join(settings, 'npmrc'))
    const mounts = there.flatMap((name) => ['--bind', name.startsWith('/etc/') ? login : settings, name])
    const env = {
      PATH: process.env.PATH ?? '',
      DIST: path.join(import.meta.dirname, '../../dist'),
      ...{ HIDDEN: '[]', HOME: path.join(root, 'home'), TMPDIR: path.join(root, 'tmp') },
      COMMAND: 'bash -lc "env; grep -rs proxy:8080 /etc /usr/local /usr/etc; true"',
    }
    const args = ['--dev-bind', '/', '/', ...mounts, process.execPath, '--input-type=module', '-e', inSandbox]
    const end = await runProcess({ command: 'bwrap', args, cwd: root, env, signal: AbortSignal.timeout(60_000) })
    expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('PATH=') })
    return end.stdout
  }
  test('are not there, because they can have the login of a proxy', async () => {
    const hidden = ['/etc/profile', '/etc/bash.bashrc', '/etc/gitconfig', '/usr/local/etc', '/usr/etc']
    expect(await seen(hidden)).not.toContain(canary)
  })
  test.each(['/etc/hosts', '/usr/local/share'])('control: %s is shown, and found', async (name) => {
    expect(await seen([name])).toContain(canary)
  })
})

needsSandbox('a project below /usr/src', () => {
  /** The folder is mounted there for one process, so that no test writes to the system. */
  async function seen(hidden: string[], named: string): Promise<string> {
    const app = path.join(root, 'src/app')
    for (const name of ['skill', 'suite', '.git', 'node_modules/agent', 'node_modules/.bin'])
      await mkdir(path.join(app, name), { recursive: true })
    for (const name of files) await writeFile(path.join(app, name), `${canary}\n`)
    await writeFile(path.join(app, 'node_modules/agent/run.sh'), '#!/bin/sh\necho the agent starts\n', { mode: 0o755 })
    await symlink('../agent/run.sh', path.join(app, 'node_modules/.bin/agent'))
    for (const name of ['home', 'tmp/own']) await mkdir(path.join(root, name), { recursive: true })
    const env = {
      PATH: `${process.env.PATH}:/usr/src/app/node_modules/.bin`,
      DIST: path.join(import.meta.dirname, '../../dist'),
      HIDDEN: JSON.stringify(hidden.map((name) => path.join(named, name))),
      COMMAND: `cat ${files.map((name) => `/usr/src/app/${name}`).join(' ')} 2>/dev/null; agent; true`,
      ...{ HOME: path.join(root, 'home'), TMPDIR: path.join(root, 'tmp') },
    }
    const mounts = ['--dev-bind', '/', '/', '--bind', path.join(root, 'src'), '/usr/src']
    const args = [...mounts, process.execPath, '--input-type=module', '-e', inSandbox]
    const end = await runProcess({ command: 'bwrap', args, cwd: root, env, signal: AbortSignal.timeout(60_000) })
    expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('the agent starts') })
    return end.stdout
  }

  const secrets = ['skill', 'suite']
  const files = ['skill/SKILL.md', 'suite/key.txt', '.env', '.git/HEAD', 'readme.txt']
  test('is not seen there, and its agent starts', async () => {
    expect(await seen(secrets, '/usr/src/app')).not.toContain(canary)
  })
  test('nor if it is named by the other place where it is mounted', async () => {
    expect(await seen(secrets, path.join(root, 'src/app'))).not.toContain(canary)
  })
  test('control: without a hidden place it is seen', async () => {
    expect(await seen([], '/usr/src/app')).toContain(canary)
  })
})
