/** How Harbor tasks are read: the Dockerfile, task.toml, the places of the world, and what keeps a task from running. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findHarborPlaces } from '../../../src/features/harbor/case.ts'
import { readDockerfile } from '../../../src/features/harbor/dockerfile.ts'
import { inspectHarbor } from '../../../src/features/harbor/format.ts'
import { parseHarborSettings, splitVariables } from '../../../src/features/harbor/task_toml.ts'
import { computeRunKey } from '../../../src/phases/1-plan/keys/plan_keys.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const from = 'FROM debian:bookworm-slim\n'

test.each([
  ['[environment]\nnetwork_mode = "none"\n', /environment\.network_mode: write "allow_internet"/],
  ['[verifier]\nuser = "x"\n', /verifier\.user: /],
  ['[verifier]\nenvironment_mode = "separate"\n', /verifier\.environment_mode: a verifier with an environment/],
  ['[verifier.environment]\ndocker_image = "x"\n', /verifier\.environment: a verifier with an environment/],
  ['[[steps]]\nname = "a"\n', /steps: tasks in several steps/],
  ['[environment]\ngpus = 1\n', /environment\.gpus: tasks get no GPU/],
])('a task that another environment would run is refused: %s', (text, why) => {
  expect(parseHarborSettings(text)).toEqual({ mistake: expect.stringMatching(why) })
})

test('the verifier in the environment of the agent is the usual one', () => {
  expect(parseHarborSettings('[verifier]\nenvironment_mode = "shared"\n')).toMatchObject({ unread: [] })
})

describe('a Dockerfile', () => {
  test.each([
    ['a folder', 'COPY data /root/data\n', [{ kind: 'copy', from: 'data', to: '/root/data' }]],
    [
      'several into a folder',
      'WORKDIR /app\nCOPY a b ./in/\n',
      [
        { kind: 'copy', from: 'a', to: '/app/in/' },
        { kind: 'copy', from: 'b', to: '/app/in/' },
      ],
    ],
    [
      'with permissions',
      'COPY --chmod=755 run.sh /app/run.sh\n',
      [{ kind: 'copy', from: 'run.sh', to: '/app/run.sh', mode: '755' }],
    ],
    ['as a JSON list', 'COPY ["a b.txt", "/app/"]\n', [{ kind: 'copy', from: 'a b.txt', to: '/app/' }]],
    ['with a variable', 'ENV D=/data\nCOPY a $D/a\n', [{ kind: 'copy', from: 'a', to: '/data/a' }]],
    ['with the default of a variable', `COPY a \${X:-/opt}/a\n`, [{ kind: 'copy', from: 'a', to: '/opt/a' }]],
    ['never the skills of the task', 'COPY skills /root/.claude/skills\nCOPY ./skills/ /app/.codex/skills\n', []],
    [
      'a command over lines',
      'WORKDIR /app\nRUN mkdir a && \\\n  touch a/b\n',
      [{ kind: 'run', command: 'mkdir a &&   touch a/b', workdir: '/app', line: 3 }],
    ],
    [
      'a command with options',
      'RUN --mount=type=cache,target=/x true\n',
      [{ kind: 'run', command: 'true', workdir: '/', line: 2 }],
    ],
    [
      'a command as a JSON list',
      'RUN ["sh","-c","echo \\"a\\"\\necho it\'s $HOME"]\n',
      [{ kind: 'run', command: `sh -c 'echo "a"\necho it'"'"'s $HOME'`, workdir: '/', line: 2 }],
    ],
    [
      'a here-document',
      'RUN <<EOF\nmkdir /app/x\ncd /app/x\nEOF\n',
      [{ kind: 'run', command: 'mkdir /app/x\ncd /app/x', workdir: '/', line: 2 }],
    ],
  ])('%s', (_, text, steps) => {
    expect(readDockerfile(`${from}${text}`)).toMatchObject({ steps, notPlain: null })
  })

  test('variables keep an escaped dollar sign', () => {
    expect(readDockerfile(`${from}ENV A="a \\$B" B=b C="$B-\\$B"\n`).env).toEqual({ A: 'a $B', B: 'b', C: 'b-$B' })
  })

  test.each([
    ['ADD https://host.example/x /x\n', 'line 2: adds a file from the network'],
    ['ADD --chmod=755 ["https://host.example/x", "/x"]\n', 'line 2: adds a file from the network'],
    ['ADD git@host.example:a/b.git /x\n', 'line 2: adds a file from the network'],
    ['ARG A=https://host.example/x\nADD $A /x\n', 'line 3: adds a file from the network'],
    [`RUN true\n${from}RUN true\n`, null],
    [`ADD https://host.example/x /x\n${from}RUN true\n`, 'line 2: adds a file from the network'],
    ['RUN --mount=type=cache,target=/x --network=host curl x\n', 'line 2: asks for a network'],
    ['RUN --network=none true\n', null],
    ['RUN curl --network=host https://host.example\n', null],
    ['ADD in.tar $HOME/x\nCOPY $A /x\n', null],
    ['ADD "http:/"/host.example/x /x\n', 'line 2: adds a file from the network'],
    ['ADD https:/\\/host.example/x /x\n', 'line 2: adds a file from the network'],
    ['RUN echo \\\\\nADD https://host.example/x /x\n', 'line 2: builders read it in different ways'],
    ['ONBUILD ADD https://host.example/x /x\n', 'line 2: ONBUILD starts what is not checked'],
  ])('uses the network beside its commands: %j', (text, place) => {
    expect(readDockerfile(`${from}${text}`).network).toBe(place && `Dockerfile ${place}`)
  })
  test.each([
    '# syntax=host.example/frontend\n',
    '\uFEFF# check=skip=all\r\n#Syntax = host.example/frontend\r\n',
    '// syntax=host.example/frontend\n',
  ])('is read by a program from the network: %j', (text) => {
    expect(readDockerfile(`${text}${from}`).network).toContain('from the network, host.example/frontend')
  })
  test.each([
    '# syntax=docker/dockerfile:1\n',
    '# a comment on syntax=host.example/x\n',
    'RUN true\n# syntax=host.example/x\n',
  ])('control: not by %j', (text) => expect(readDockerfile(`${text}${from}`).network).toBeNull())
  test('counts only its last stage', () => {
    const world = readDockerfile('FROM gcc AS build\nWORKDIR /src\nRUN make\nFROM debian\nWORKDIR /app\n')
    expect(world).toMatchObject({ workdir: '/app', steps: [] })
  })
  test.each([
    ['COPY --from=build /x /app/x', 'line 2: copies from another image'],
    ['ADD https://example.org/x /app/x', 'line 2: adds a file from the network'],
    ['COPY <<EOF /app/x\nhello\nEOF', 'line 2: copies a text that is written in the Dockerfile'],
  ])('%s: bubblewrap can not build it', (line, reason) => {
    expect(readDockerfile(`${from}${line}\n`).notPlain).toBe(`Dockerfile ${reason}`)
  })
})

test('task.toml has defaults, and a mistake names its place', () => {
  expect(parseHarborSettings('version = "1.0"')).toMatchObject({
    settings: { agent: { timeout_sec: 600 }, verifier: { timeout_sec: 600, env: {} } },
  })
  expect(parseHarborSettings('[agent]\ntimeout_sec = "long"')).toEqual({
    mistake: expect.stringContaining('agent.timeout_sec'),
  })
  expect(parseHarborSettings('version = ')).toHaveProperty('mistake')
})

test('a variable that refers to the environment of the user is not passed on', () => {
  const env = { A: '1', KEY: `\${OPENAI_API_KEY}` }
  expect(splitVariables(env)).toEqual({ literal: { A: '1' }, fromUser: ['KEY'] })
})

test('places are top folders that the task names, never those of the system', () => {
  const places = findHarborPlaces(['Write to /results/a.txt and /etc/x, see http://host/path.'], ['/var/www/html'])
  expect(places).toEqual(expect.arrayContaining(['/app', '/results', '/root', '/var/www']))
  expect(
    findHarborPlaces([], ['/etc/nginx/nginx.conf', '/etc/ssl/certs/x', '/etc/x.conf']).filter((one) =>
      one.startsWith('/etc'),
    ),
  ).toEqual(['/etc/apt', '/etc/claude-code', '/etc/nginx'])
  for (const never of ['/etc', '/usr', '/var', '/host', '/path', '/tests', '/solution'])
    expect(places).not.toContain(never)
})

const whole = {
  'one/task.toml': '[agent]\ntimeout_sec = 30\n',
  'one/instruction.md': 'Do it.',
  'one/environment/Dockerfile': `${from}WORKDIR /app\nCOPY in.txt .\n`,
  'one/environment/in.txt': 'in',
  'one/tests/test.sh': 'echo 1 > /logs/verifier/reward.txt',
}

test('a task is a case with its instruction, time limit and the reward of its verifier', async () => {
  const { cases } = (await inspectHarbor(folderOf(whole))).suite
  expect(cases).toMatchObject([
    {
      eval_key: 'one',
      prompt: 'Do it.',
      timeout_seconds: 30,
      checks: [{ type: 'verifier', reward: true }],
      cannot_run: null,
      harbor: { workdir: '/app', not_plain: null, solution: null, skills: [] },
    },
  ])
})

test.each([
  ['one/instruction.md', 'it has no instruction.md, or an empty one'],
  ['one/tests/test.sh', 'it has no tests/test.sh'],
  ['one/environment/Dockerfile', 'it has no environment/Dockerfile'],
])('without %s it can not run', async (name, reason) => {
  const { [name as keyof typeof whole]: _, ...others } = whole
  expect((await inspectHarbor(folderOf(others))).suite.cases).toMatchObject([{ cannot_run: reason }])
})

test('a copy of a missing file, several services, and a target in the system keep it from the plain backend', async () => {
  const reason = async (files: Record<string, string>) => {
    const task = (await inspectHarbor(folderOf({ ...whole, ...files }))).suite.cases[0]?.harbor
    return task?.unsupported ?? task?.not_plain
  }
  expect(await reason({ 'one/environment/Dockerfile': `${from}COPY no.txt /app/\n` })).toBe(
    'environment/no.txt is missing',
  )
  expect(await reason({ 'one/environment/docker-compose.yaml': 'services: {}' })).toMatch(/several services/)
  expect(await reason({ 'one/environment/Dockerfile': `${from}COPY in.txt /usr/local/bin/in\n` })).toMatch(
    /belongs to the system/,
  )
})

test.each([
  '-v/:/host',
  '--all-tags',
  'dir:/home/user/image',
  'docker-archive:/x.tar',
  'dir:name',
  'tarball:1/../..',
  'a b',
  '',
])('an image that is no name is not given to the client: %j', async (image) => {
  const toml = `[environment]\ndocker_image = ${JSON.stringify(image)}\n`
  const { suite } = await inspectHarbor(folderOf({ ...whole, 'one/task.toml': toml }))
  expect(suite.cases[0]?.harbor?.unsupported).toContain('docker_image')
})

test.each(['debian', 'debian:12-slim', 'host.example:5000/a/b_c:v1.2', `a/b@sha256:${'0f'.repeat(32)}`])(
  'control: %s is one',
  async (image) => {
    const toml = `[environment]\ndocker_image = ${JSON.stringify(image)}\n`
    const { suite } = await inspectHarbor(folderOf({ ...whole, 'one/task.toml': toml }))
    expect(suite.cases[0]?.harbor).toMatchObject({ image })
    expect(suite.cases[0]?.harbor).not.toHaveProperty('unsupported')
  },
)

describe("a stranger's task reads nothing else of this machine", () => {
  const reasonOf = async (folder: string) => {
    const [one] = (await inspectHarbor(folder)).suite.cases
    return one?.cannot_run ?? one?.harbor?.not_plain ?? null
  }
  const linked = (name: string, target: string) => {
    const folder = folderOf({ ...whole, 'outside/secret.txt': 'secret', 'outside/test.sh': 'true' })
    rmSync(path.join(folder, name), { recursive: true, force: true })
    symlinkSync(path.join(folder, target), path.join(folder, name))
    return folder
  }

  test.each(['../../outside/secret.txt', '../task.toml', '../../out*/secret.txt', 'a/../../../outside'])(
    'COPY %s leads out of environment/',
    async (from) => {
      const text = `FROM debian\nCOPY ${from} /app/\n`
      const folder = folderOf({ ...whole, 'one/environment/Dockerfile': text, 'outside/secret.txt': 'secret' })
      expect(await reasonOf(folder)).toMatch(/leads out of environment\//)
    },
  )

  test.each([
    ['one/environment/in.txt', 'outside/secret.txt', /leads out of environment\//],
    ['one/instruction.md', 'outside/secret.txt', /no instruction.md/],
    ['one/task.toml', 'outside/secret.txt', /task.toml is not a file/],
    ['one/tests', 'outside', /no tests\/test.sh/],
  ])('a link at %s to %s is refused', async (name, target, reason) => {
    expect(await reasonOf(linked(name, target))).toMatch(reason)
  })

  test('control: a link inside of environment/ is copied', async () => {
    const folder = folderOf({ ...whole, 'one/environment/real.txt': 'in' })
    rmSync(path.join(folder, 'one/environment/in.txt'))
    symlinkSync('real.txt', path.join(folder, 'one/environment/in.txt'))
    expect(await reasonOf(folder)).toBeNull()
  })

  test.each(['one/instruction.md', 'one/task.toml', 'one/tests/test.sh', 'one/environment/Dockerfile'])(
    'a folder at %s has a reason',
    async (name) => {
      const folder = folderOf(whole)
      rmSync(path.join(folder, name))
      mkdirSync(path.join(folder, name))
      expect(await reasonOf(folder)).toMatch(/^(it has no|task.toml is not)/)
    },
  )

  test('a Dockerfile with CRLF, one that is empty, and one that is not UTF-8 are read', async () => {
    const crlf = `${from}WORKDIR /app\nCOPY in.txt .\nRUN a && \\\n  b\n`.replaceAll('\n', '\r\n')
    const { cases } = (await inspectHarbor(folderOf({ ...whole, 'one/environment/Dockerfile': crlf }))).suite
    expect(cases[0]?.harbor).toMatchObject({
      workdir: '/app',
      steps: [
        { kind: 'copy', from: 'in.txt', to: '/app/in.txt' },
        { kind: 'run', command: expect.stringMatching(/^a && +b$/) },
      ],
    })
    for (const text of ['', new Uint8Array([0x46, 0x52, 0xff, 0xfe, 0x0a])])
      expect(await reasonOf(folderOf({ ...whole, 'one/environment/Dockerfile': text }))).toBeNull()
  })
})

describe('the key of a run', () => {
  const keyOf = async (folder: string) => {
    const [one] = (await inspectHarbor(folder)).suite.cases
    if (one?.harbor === undefined) throw new Error('no case')
    return computeRunKey(specOf({ harbor: one.harbor }))
  }
  const change = (folder: string, name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }

  test('changes with the environment and the tests, and not with the folder or the solution', async () => {
    const [here, there] = [folderOf(whole), folderOf(whole)]
    const key = await keyOf(here)
    expect(await keyOf(there)).toBe(key)
    change(there, 'one/solution/solve.sh', 'true')
    expect(await keyOf(there)).toBe(key)
    change(there, 'one/tests/test.sh', 'echo 0 > /logs/verifier/reward.txt')
    const tested = await keyOf(there)
    expect(tested).not.toBe(key)
    change(there, 'one/environment/in.txt', 'other')
    expect(await keyOf(there)).not.toBe(tested)
  })
})
