/** What an agent may try against its machine, engine by engine: in the sandbox it fails, and outside of it the same succeeds. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { endMarked, findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import { chooseSandbox, noSandboxWish, type SandboxChoice } from '../../../src/base/sandbox/choose.ts'
import { detectProcessLimit } from '../../../src/base/sandbox/process_limit.ts'
import type { PracticeServer } from '../../../src/features/practice/server.ts'
import { confine } from '../../../src/phases/2-run/workspace/sandbox_policy.ts'
import { type Contender, contenders, findContender } from '../../engines/contenders.ts'
import { keysFor, openStage, perform, practice } from '../../engines/stage.ts'
import { cliBinary } from '../../require.ts'
import { needsSandbox } from '../needs_sandbox.ts'
import { attacks, bomb, hasReached, limits } from './attacks.ts'
import { layOut, type Outside } from './outside.ts'

// opencode takes seconds of CPU to start, and a machine may be busy
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let outside: Outside
let choice: SandboxChoice

const attemptLine = 'sh ./attempt.sh'

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

const unconfined = path.join(import.meta.dirname, '../../fixtures/programs/unconfined.mjs')

/** How many processes of a run live on; the last of a sandbox may still be on their way out. */
async function livingAfter(mark: string, ms: number): Promise<number> {
  const end = performance.now() + ms
  for (;;) {
    const left = (await findMarkedProcesses(mark)).length
    if (left === 0 || performance.now() > end) return left
    await sleep(20)
  }
}

/** What came of all attempts: what each said, where it could write to, what of the run lived on. */
interface Tried {
  said: Record<string, string>
  at: Outside
  left: number
}

const daemon = 'setsid sh -c "setsid sleep 300 >/dev/null 2>&1 < /dev/null &" &\nsleep 0.3'

/** All attempts one after another, as an agent of this engine makes them in one command. */
async function tried(contender: Contender, sandboxed: boolean): Promise<Tried> {
  await using stage = await openStage()
  await using model = await practice(rulesFor(contender))
  const skills = await stage.skill()
  const readOnly = skills.map((skill) => skill.path)
  const parts = { writable: [stage.cwd, stage.home], readOnly, hidden: [outside.suite], settings: undefined }
  const confined = sandboxed ? confine(choice, parts) : null
  const sandbox = confined && { ...confined, policy: { ...confined.policy, limits } }
  const at = { ...outside, open: await mkdtemp(path.join(outside.root, 'open-')) }
  const scripts = [...Object.values(attacks).map(({ script }) => script(at)), daemon, bomb]
  const lines = scripts.map((script, index) => `(\n${script}\n) > said-${index}.txt 2>&1`)
  await writeFile(path.join(stage.cwd, 'attempt.sh'), `${lines.join('\n')}\nexit 0\n`)
  const task = stage.task({ ...startOf(contender, model, sandboxed), sandbox })
  const env = { ...task.env, REAL_CODEX: cliBinary('codex') ?? '' }
  const { outcome } = await perform(contender.engine, { ...task, env })
  const left = await livingAfter(stage.mark, 1000)
  await endMarked(stage.mark)
  expect(outcome.status).toBe('completed')
  const read = (index: number) => readFile(path.join(stage.cwd, `said-${index}.txt`), 'utf8')
  const names = [...Object.keys(attacks), 'daemon', 'fork']
  const said = await Promise.all(names.map(async (name, index) => [name, await read(index)] as const))
  return { said: Object.fromEntries(said), at, left }
}

const limited = detectProcessLimit().kind === 'none' ? test.skip : test

needsSandbox('escapes', () => {
  beforeAll(async () => {
    choice = await chooseSandbox({ ...noSandboxWish, mode: 'required' }, process.env.PATH ?? '')
    outside = await layOut()
  })
  afterAll(() => outside[Symbol.asyncDispose]())

  describe.each(Object.keys(contenders))('%s', (name) => {
    const contender = findContender(name)
    const { engine, suite } = contender
    suite('tries to', () => {
      let inside: Tried
      let free: Tried
      beforeAll(async () => {
        inside = await tried(contender, true)
        free = await tried(contender, false)
      }, 240_000)

      test.each(Object.entries(attacks))('%s', (name, attack) => {
        expect(hasReached(attack, inside.said[name] ?? 'REACHED', inside.at), inside.said[name]).toBe(false)
        expect(hasReached(attack, free.said[name] ?? '', free.at), free.said[name]).toBe(true)
      })

      limited('start processes without end', () => {
        expect(inside.said.fork).toMatch(/fork/i)
        expect(inside.said.fork).not.toContain('all started')
        expect(free.said.fork).toContain('all started')
      })

      test('leave a daemon', () => {
        expect(inside.left).toBe(0)
        // these engines end marked programs themselves at the end of a run, so without a sandbox nothing is left either
        const endsThem = ['opencode', 'qwen', 'gemini', 'copilot', 'pi', 'acp'].includes(engine.name)
        expect(free.left > 0).toBe(!endsThem)
      })
    })
  })
})
