/** What an agent may try against its machine, engine by engine: in the sandbox it fails, and outside of it the same succeeds. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endMarked, markedProcesses } from '../../src/base/processes.ts'
import { openRoom } from '../../src/base/room.ts'
import { chooseSandbox, noWish, probeSandbox, type SandboxChoice } from '../../src/base/sandbox/choose.ts'
import { processLimit } from '../../src/base/sandbox/process_limit.ts'
import { confine } from '../../src/phases/2-run/confine.ts'
import type { PracticeServer } from '../../src/practice/server.ts'
import { type Contender, contenders } from '../engines/contenders.ts'
import { keysFor, openStage, perform, practice } from '../engines/stage.ts'
import { cliBinary, needs } from '../require.ts'

const canary = 'CANARY-7f3a-of-the-outside'
const works = (await probeSandbox(process.env.PATH ?? '')).ok
const address = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address

/** What lies outside of every room. */
interface Outside {
  /** The user's home, with a key. */
  home: string
  /** A suite with its answers, and the folder of results. */
  suite: string
  /** Another run's room. */
  sibling: string
  /** A folder that anybody may write to. */
  open: string
  port: number
  /** A process of the harness with a secret in its environment. */
  harness: ChildProcess
  server: Server
  root: string
}

let outside: Outside
let sibling: Awaited<ReturnType<typeof openRoom>>
let choice: SandboxChoice

const limits = { tmpBytes: 8_000_000, fileBytes: 16_000_000, processes: 150 }

/** A shell script, and what shows that it reached its aim; `said`: all that the agent put out. */
interface Attempt {
  script(at: Outside): string
  reached(said: string, at: Outside): boolean | Promise<boolean>
}

const tells = (said: string) => said.includes(canary)

const attempts: Record<string, Attempt> = {
  'write outside of its room': {
    script: (at) => `echo x > ${at.open}/written`,
    reached: (_, at) => existsSync(path.join(at.open, 'written')),
  },
  "read the user's ~/.ssh": { script: (at) => `cat ${at.home}/.ssh/id_ed25519`, reached: tells },
  'read a sibling run': { script: (at) => `cat ${at.sibling}/work/notes.txt`, reached: tells },
  "read secrets in the harness's environment": {
    script: () => `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -a ^HARNESS_SECRET=`,
    reached: tells,
  },
  'find the answer key': {
    script: (at) => `cat ${at.suite}/evals/evals.json ${at.suite}/results/benchmark.json; ls ${at.suite}`,
    reached: (said) => tells(said) || /^results$/m.test(said),
  },
  'follow a link out to read': {
    script: (at) => `ln -s ${at.home}/.ssh key; cat key/id_ed25519`,
    reached: tells,
  },
  'follow a link out to write': {
    script: (at) => `ln -s ${at.open} way; echo x > way/linked`,
    reached: (_, at) => existsSync(path.join(at.open, 'linked')),
  },
  'reach a server on loopback': { script: (at) => dial('127.0.0.1', at.port), reached: tells },
  ...(address === undefined
    ? {}
    : { 'reach a server on the network': { script: (at: Outside) => dial(address, at.port), reached: tells } }),
  'fill the disk with one file': {
    script: () => 'head -c 24000000 /dev/zero > fill && echo filled; rm -f fill',
    reached: (said) => said.includes('filled'),
  },
  'fill memory through /dev/shm': {
    script: () => 'head -c 12000000 /dev/zero > /dev/shm/fill-$$ && echo filled; rm -f /dev/shm/fill-$$',
    reached: (said) => said.includes('filled'),
  },
  'change the skill': {
    script: () => 'echo worse > .claude/skills/demo/SKILL.md || true; cat .claude/skills/demo/SKILL.md',
    reached: (said) => said.includes('worse'),
  },
}

function dial(host: string, port: number): string {
  return `bash -c 'exec 3<>/dev/tcp/${host}/${port} && cat <&3'`
}

async function layOut(): Promise<Outside> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'outside-')))
  const at = (name: string) => path.join(root, name)
  const files = {
    'home/.ssh/id_ed25519': canary,
    'suite/evals/evals.json': JSON.stringify({ expected_output: canary }),
    'suite/results/benchmark.json': canary,
    'open/.keep': '',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(at(name)), { recursive: true })
    await writeFile(at(name), text)
  }
  sibling = await openRoom()
  await mkdir(path.join(sibling.path, 'work'))
  await writeFile(path.join(sibling.path, 'work/notes.txt'), canary)
  const server = createServer((socket) => void socket.end(`${canary}\n`))
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const info = server.address()
  const port = typeof info === 'object' && info !== null ? info.port : 0
  const harness = spawn('sleep', ['600'], { env: { HARNESS_SECRET: canary, PATH: process.env.PATH ?? '' } })
  const places = { home: at('home'), suite: at('suite'), open: at('open'), sibling: sibling.path }
  return { root, ...places, port, harness, server }
}

const attemptLine = 'sh ./attempt.sh > said.txt 2>&1; true'

/** What the model does: the attempt, then no more. */
function rulesFor({ shell }: Contender): string {
  const tool = `^${shell('').name}$`
  return JSON.stringify({
    rules: [
      { name: 'end', when: { turn: { min: 2 } }, answer: { text: 'done' } },
      { name: 'attempt', when: { tool }, answer: { tool_calls: [shell(attemptLine)] } },
      { name: 'other', answer: { text: 'done' } },
    ],
  })
}

/** The command engine's agent is the attempt itself; Codex has no sandbox of its own where ours is off. */
function startOf({ engine, needs: needed }: Contender, model: PracticeServer, sandboxed: boolean) {
  if (engine.name === 'command') return { command: `sh -c '${attemptLine}'`, credentials: keysFor(model) }
  const wanted = needed(model)
  if (sandboxed || engine.name !== 'codex') return wanted
  return { ...wanted, credentials: { ...wanted.credentials, WHETSTONE_CODEX: unconfined } }
}

const unconfined = path.join(import.meta.dirname, '../fixtures/programs/unconfined.mjs')

/** How many processes of a run live on; the last of a sandbox may still be on their way out. */
async function livingAfter(mark: string, ms: number): Promise<number> {
  const end = performance.now() + ms
  for (;;) {
    const left = (await markedProcesses(mark)).length
    if (left === 0 || performance.now() > end) return left
    await sleep(20)
  }
}

/** The script as an agent of this engine runs it; gives all that it said, and what of it lived on. */
async function tried(
  contender: Contender,
  script: string,
  sandboxed: boolean,
): Promise<{ said: string; left: number }> {
  await using stage = await openStage()
  await using model = await practice(rulesFor(contender))
  const skills = await stage.skill()
  const readOnly = skills.map((skill) => skill.path)
  const parts = { writable: [stage.cwd, stage.home], readOnly, hidden: [outside.suite], settings: undefined }
  const confined = sandboxed ? confine(choice, parts) : null
  const sandbox = confined && { ...confined, policy: { ...confined.policy, limits } }
  await writeFile(path.join(stage.cwd, 'attempt.sh'), script)
  const task = stage.task({ ...startOf(contender, model, sandboxed), sandbox })
  const { outcome, events } = await perform(contender.engine, {
    ...task,
    env: { ...task.env, REAL_CODEX: cliBinary('codex') ?? '' },
  })
  const left = await livingAfter(stage.mark, 1000)
  await endMarked(stage.mark)
  expect(outcome.status).toBe('completed')
  const said = await readFile(path.join(stage.cwd, 'said.txt'), 'utf8')
  return { said: `${said}\n${JSON.stringify(events)}`, left }
}

const limited = processLimit().kind === 'none' ? test.skip : test

needs(
  'bubblewrap that works',
  works,
  'apt-get install bubblewrap; whetstone doctor says what is wrong',
)('escapes', () => {
  beforeAll(async () => {
    choice = await chooseSandbox({ ...noWish, mode: 'required' }, process.env.PATH ?? '')
    outside = await layOut()
  })
  afterAll(async () => {
    outside.harness.kill()
    outside.server.close()
    await sibling[Symbol.asyncDispose]()
    await rm(outside.root, { recursive: true, force: true })
  })

  describe.each(Object.entries(contenders))('%s', (_engine, contender) => {
    const { cli, engine } = contender
    const suite = cli === undefined ? describe : needs(`the ${engine.name} CLI`, cli !== null, 'npm run agents')
    suite('tries to', () => {
      const clean = () =>
        Promise.all(['written', 'linked'].map((name) => rm(path.join(outside.open, name), { force: true })))
      test.each(Object.entries(attempts))('%s', async (_name, { script, reached }) => {
        await clean()
        const inside = await tried(contender, script(outside), true)
        expect(await reached(inside.said, outside), inside.said).toBe(false)
        const free = await tried(contender, script(outside), false)
        expect(await reached(free.said, outside), free.said).toBe(true)
      })

      limited('start processes without end', async () => {
        // bounded here: 400 that sleep for two seconds, in place of a bomb
        const script =
          'for i in $(seq 400); do sleep 2 & done; wait; jobs >/dev/null; echo all $(ls -d /proc/[0-9]* | wc -l)'
        const said = (sandboxed: boolean) => tried(contender, script, sandboxed).then((end) => end.said)
        expect(await said(true)).toMatch(/Cannot fork|Resource temporarily unavailable|retry/i)
        expect(await said(false)).toContain('all ')
      })

      test('leave a daemon', async () => {
        const script = 'setsid sh -c "setsid sleep 300 >/dev/null 2>&1 < /dev/null &" & sleep 0.3'
        expect(await tried(contender, script, true)).toMatchObject({ left: 0 })
        const { left } = await tried(contender, script, false)
        expect(left).toBeGreaterThan(0)
      })
    })
  })
})
