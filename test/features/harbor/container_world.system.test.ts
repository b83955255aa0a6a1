/** The world of a Harbor task in a container, on a stand-in for Docker: Docker itself has not run it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { HarborTask } from '../../../schemas/harbor_task.ts'
import { removeNotedContainer } from '../../../src/base/container.ts'
import { createSandboxView } from '../../../src/base/sandbox/hidden_places.ts'
import { inspectHarbor } from '../../../src/features/harbor/format.ts'
import { type HarborWorld, runInWorld } from '../../../src/features/harbor/run_in_world.ts'
import { openWorld, solveWorld, verifyWorld } from '../../../src/features/harbor/verify.ts'
import { buildRunEnvironment } from '../../../src/phases/2-run/workspace/run_environment.ts'
import { worldPolicies } from '../../../src/phases/2-run/workspace/sandbox_policy.ts'
import { SetupError } from '../../../src/phases/2-run/workspace/symlink_traps.ts'
import { readVerifierResult } from '../../../src/phases/3-judge/checks/results/verifier_folder.ts'
import { fakeDocker } from '../../fixtures/docker/fake_docker.ts'
import { needsSandbox } from '../../sandbox/needs_sandbox.ts'

const signal = new AbortController().signal
const mark = 'a'.repeat(24)
const fresh = () => mkdtempSync(path.join(tmpdir(), 'container-'))

const parts: Readonly<Record<string, string>> = {
  'task.toml': '[verifier]\ntimeout_sec = 30.0\n\n[environment]\ncpus = 2\nmemory_mb = 512\n',
  'instruction.md': 'Write /app/done.txt.\n',
  'environment/Dockerfile':
    'FROM debian:bookworm-slim\nWORKDIR /app\nCOPY seed.txt ./\nCOPY skills /root/.claude/skills\n',
  'environment/seed.txt': 'seed\n',
  'environment/skills/helper/SKILL.md': '---\nname: helper\ndescription: Helps.\n---\n\nHELP\n',
  'tests/test.sh': 'true\n',
  'solution/solve.sh': 'cat /app/seed.txt > /app/done.txt\n',
}

async function loadTask(changed: Record<string, string> = {}): Promise<HarborTask> {
  const folder = path.join(fresh(), 'task')
  for (const [name, text] of Object.entries({ ...parts, ...changed })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  const task = (await inspectHarbor(folder)).suite.cases[0]?.harbor
  if (task === undefined) throw new Error('no task')
  return { ...task, backend: 'docker' }
}

async function open(
  task: HarborTask,
  docker = fakeDocker(fresh()),
  {
    network = null,
    readable = [],
    hidden = [],
  }: { network?: 'setup' | null; readable?: string[]; hidden?: string[] } = {},
) {
  const temp = fresh()
  const userEnv = { ...docker.env, HOME: '/nowhere', SECRET_KEY: 'SECRET' }
  const env = buildRunEnvironment({ user: userEnv, home: path.join(temp, 'home'), mark, passEnv: [], hidden: [] })
  const choice = { mechanism: 'none' as const, program: null, reason: '', network, readable }
  const policies = worldPolicies(choice, { writable: [], hidden, settings: undefined })
  const world = await openWorld({ task, temp, env, userEnv, programs: null, ...policies })
  return { world, docker, temp }
}

const run = (world: HarborWorld, script: string, seconds = 20) =>
  runInWorld(world, { words: ['sh', '-c', script], workdir: '/app', env: {}, seconds, signal })

const verify = (world: HarborWorld, task: HarborTask, folder: string) =>
  verifyWorld(world, task, { folder, skillsFolders: [], signal })

needsSandbox('a world in a container (on a stand-in for Docker)', () => {
  test('has the files of the image, without the skills of the task', async () => {
    const task = await loadTask()
    const { world, docker } = await open(task)
    await using _ = world
    await world.build(signal)
    expect((await run(world, 'pwd; cat seed.txt; ls -A /root/.claude/skills')).output).toBe('/app\nseed')
    const [image = ''] = readdirSync(path.join(docker.env.DOCKER_FAKE, 'images'))
    const built = path.join(docker.env.DOCKER_FAKE, 'images', image, 'root/root/.claude/skills/helper')
    expect(readdirSync(built)).toEqual([]) // its folder alone, so that the Dockerfile can copy it
    expect(docker.called('run')[0]?.join(' ')).toMatch(/--network none --cpus 2 --memory 512m/)
    expect(
      docker
        .calls()
        .flatMap(({ words = [] }) => words)
        .join(' '),
    ).not.toContain('SECRET')
  })

  test('removes the skills of an image that another build made', async () => {
    const task = { ...(await loadTask()), image: 'given' }
    const docker = fakeDocker(fresh())
    const skills = path.join(docker.env.DOCKER_FAKE, 'images/given/root/root/.claude/skills')
    for (const name of ['helper', 'other']) mkdirSync(path.join(skills, name), { recursive: true })
    const { world } = await open(task, docker)
    await using _ = world
    await world.build(signal)
    expect((await run(world, 'ls /root/.claude/skills')).output).toBe('other')
    expect(docker.called('build')).toEqual([])
  })

  test('shows the tests only to the verifier', async () => {
    const task = await loadTask({ 'tests/test.sh': 'ls /tests > /logs/verifier/seen.txt\n' })
    const { world, docker, temp } = await open(task)
    await using _ = world
    await world.build(signal)
    expect((await run(world, 'ls -A /tests; ls -A /solution')).output).toBe('')
    const folder = path.join(temp, 'verifier')
    await world.settle(signal)
    await verify(world, task, folder)
    expect(readFileSync(path.join(folder, 'seen.txt'), 'utf8')).toBe('test.sh\n') // control: then they are there
    const calls = docker.calls()
    const shown = calls.findIndex(({ visible = [] }) => visible.length > 0)
    const ended = calls.findIndex(({ words = [] }) => words[0] === 'restart')
    expect(ended).toBeGreaterThan(0)
    expect(shown).toBeGreaterThan(ended) // every process of the agent has ended by then
  })

  test('shows nothing hidden in a folder that may be read', async () => {
    const project = path.join(fresh(), 'project')
    mkdirSync(path.join(project, 'suite'), { recursive: true })
    for (const name of ['suite/key.txt', '.env', 'readme.txt']) writeFileSync(path.join(project, name), `${name}\n`)
    const read = async (hidden: string[]) => {
      const { world } = await open(await loadTask(), fakeDocker(fresh()), { readable: [project], hidden })
      await using _ = world
      await world.build(signal)
      return (await run(world, `cd ${project}; cat suite/key.txt .env readme.txt 2>/dev/null`)).output
    }
    expect(await read([path.join(project, 'suite')])).toBe('readme.txt')
    expect(await read([])).toBe('suite/key.txt\n.env\nreadme.txt') // control
  })

  test('counts no reward and runs no test that the agent planted', async () => {
    const task = await loadTask()
    const { world, temp } = await open(task)
    await using _ = world
    await world.build(signal)
    await run(world, 'mkdir -p /logs/verifier && echo 1 > /logs/verifier/reward.txt && echo planted > /tests/planted')
    const planted = path.join(world.root, 'logs/verifier')
    expect(await readVerifierResult(planted, { expectsTests: false })).toMatchObject({ score: 1 }) // control: it would count
    expect(existsSync(path.join(world.root, 'tests/planted'))).toBe(true)
    const folder = path.join(temp, 'verifier')
    await world.settle(signal)
    await verify(world, task, folder)
    expect(existsSync(path.join(folder, 'reward.txt'))).toBe(false)
    expect(readdirSync(path.join(world.root, 'tests'))).toEqual(['test.sh'])
    expect(await readVerifierResult(folder, { expectsTests: false })).toHaveProperty('error')
  })

  test('runs the solution, and tools of this process see its folders but not the system here', async () => {
    const dockerfile = `${parts['environment/Dockerfile']}COPY skills /etc/agents/skills\n`
    const solve = `${parts['solution/solve.sh']}cat /root/.claude/skills/helper/SKILL.md\n` // Harbor's oracle has the skills
    const task = await loadTask({ 'environment/Dockerfile': dockerfile, 'solution/solve.sh': solve })
    const { world } = await open(task)
    await using _ = world
    await world.build(signal)
    expect(await solveWorld(world, task, { seconds: 20, signal })).toMatchObject({ exitCode: 0 })
    const view = await createSandboxView(world.sandbox, process.env.PATH ?? '')
    expect(readFileSync(view.locate('/app/done.txt'), 'utf8')).toBe('seed\n')
    expect([view.canWrite(view.locate('/app/done.txt')), view.canWrite(view.locate('/tmp/x'))]).toEqual([true, true])
    expect([view.canRead(view.locate('/tests/test.sh')), view.canRead('/usr/bin/env')]).toEqual([false, false])
  })

  test('ends a program that takes too long', async () => {
    const { world, docker } = await open(await loadTask())
    await using _ = world
    await world.build(signal)
    expect(await run(world, 'echo begun; sleep 60', 1)).toMatchObject({ exitCode: null, output: 'begun' })
    expect(docker.called('exec').at(-1)?.join(' ')).toContain('kill -9')
  })

  test('--network setup opens the network while an image is built, and not for the agent', async () => {
    const { world, docker } = await open(await loadTask(), fakeDocker(fresh()), { network: 'setup' })
    await using _ = world
    await world.build(signal)
    expect(docker.called('build')).toEqual([expect.not.arrayContaining(['--network'])])
    expect(docker.called('run')).toEqual([expect.arrayContaining(['--network', 'none'])])
  })
  test('builds an image once for several runs, and a failure is one of the setup', async () => {
    const docker = fakeDocker(fresh())
    const task = await loadTask()
    const [one, two] = [await open(task, docker), await open(task, docker)]
    await Promise.all([one.world.build(signal), two.world.build(signal)])
    expect(docker.called('build')).toEqual([expect.arrayContaining(['--network', 'none'])])
    const broken = await open(await loadTask({ 'environment/Dockerfile': 'FROM missing\n' }), docker)
    const failed = broken.world.build(signal)
    await expect(failed).rejects.toBeInstanceOf(SetupError)
    await expect(failed).rejects.toThrow(
      'docker build (it has no network; --network setup allows it): ERROR: failed to solve: missing: not found',
    )
    for (const { world } of [one, two, broken]) await world[Symbol.asyncDispose]()
  })

  test('leaves no container behind, also after its owner was killed', async () => {
    const { world, docker, temp } = await open(await loadTask())
    const containers = () => readdirSync(path.join(docker.env.DOCKER_FAKE, 'containers'))
    await world.build(signal)
    expect(containers()).toEqual([`whetstone-${mark}`]) // control
    removeNotedContainer(temp, docker.env)
    expect(containers()).toEqual([])
    const next = await open(await loadTask(), docker)
    await next.world.build(signal)
    await next.world[Symbol.asyncDispose]()
    expect(containers()).toEqual([])
  })
})
