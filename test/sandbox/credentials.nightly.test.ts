/** What an agent finds of the user's keys, engine by engine: a placeholder, while the endpoint gets the key. */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { chooseSandbox, noSandboxWish, type SandboxChoice } from '../../src/base/sandbox/choose.ts'
import { runClaude } from '../../src/engines/claude_code/claude_code.ts'
import { runCodex } from '../../src/engines/codex/codex.ts'
import type { Engine } from '../../src/engines/engine.ts'
import { runCommand } from '../../src/features/command/any_program.ts'
import { runCopilot } from '../../src/features/copilot/copilot.ts'
import { runOpencode } from '../../src/features/opencode/opencode.ts'
import { runPi } from '../../src/features/pi/pi.ts'
import type { PracticeServer } from '../../src/features/practice/server.ts'
import { runQwen } from '../../src/features/qwen/qwen.ts'
import { confine } from '../../src/phases/2-run/workspace/sandbox_policy.ts'
import { type Contender, findContender } from '../engines/contenders.ts'
import { openStage, perform, practice } from '../engines/stage.ts'
import { needsSandbox } from './needs_sandbox.ts'

// opencode takes seconds of CPU to start, and a machine may be busy
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

/** Its own environment. */
const lookAtEnvironment = 'env > seen.txt'

/** Its files are programs: too many to be read, and below /tmp where this clone is. */
const clone = path.join(import.meta.dirname, '../..')

/** And all else: environment and words of each process, and each file but those of system and programs. */
const lookAround = `{
env
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'
find "$HOME" .. /tmp /run /etc /dev/shm /var -path ${clone} -prune -o -type f -size -4M ! -name seen.txt -exec cat {} +
} > seen.txt 2>/dev/null
true`

interface Case {
  contender: string
  /** The variables that hold the key. */
  keys: readonly string[]
  /** The engine without placeholders. */
  bare: Engine['run']
}

const cases: Record<string, Case> = {
  'command with a base URL': {
    contender: 'command',
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    bare: runCommand,
  },
  'claude-code with ANTHROPIC_AUTH_TOKEN': {
    contender: 'claude-code',
    keys: ['ANTHROPIC_AUTH_TOKEN'],
    bare: runClaude,
  },
  'claude-code with CLAUDE_CODE_OAUTH_TOKEN': {
    contender: 'claude-code',
    keys: ['CLAUDE_CODE_OAUTH_TOKEN'],
    bare: runClaude,
  },
  codex: { contender: 'codex', keys: ['CODEX_API_KEY'], bare: runCodex },
  opencode: { contender: 'opencode', keys: ['ANTHROPIC_API_KEY'], bare: runOpencode },
  pi: { contender: 'pi', keys: ['ANTHROPIC_API_KEY'], bare: runPi },
  copilot: { contender: 'copilot', keys: ['ANTHROPIC_API_KEY'], bare: runCopilot },
  qwen: { contender: 'qwen', keys: ['OPENAI_API_KEY'], bare: runQwen },
}

/** The command engine's agent: it looks, and asks the model as the variables say. */
const asker = `import { execFileSync } from 'node:child_process'
execFileSync('sh', ['./look.sh'])
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, OPENAI_BASE_URL: other, OPENAI_API_KEY: token } = process.env
const body = JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] })
const headers = { 'content-type': 'application/json' }
const one = await fetch(url + '/v1/messages', { method: 'POST', body, headers: { ...headers, 'x-api-key': key, 'anthropic-version': '2023-06-01' } })
const two = await fetch(other + '/chat/completions', { method: 'POST', body, headers: { ...headers, authorization: 'Bearer ' + token } })
console.log(one.status, two.status)
`

/** What the model does: the look, then no more. */
function rulesFor({ shell }: Contender, key: string): string {
  return JSON.stringify({
    require_key: [key],
    rules: [
      { name: 'end', when: { turn: { min: 2 } }, answer: { text: 'done' } },
      { name: 'look', when: { tool: `^${shell('').name}$` }, answer: { tool_calls: [shell('sh ./look.sh')] } },
      { name: 'other', answer: { text: 'done' } },
    ],
  })
}

let choice: SandboxChoice

interface Looked {
  seen: string
  key: string
  model: PracticeServer
}

async function looked(one: Case, { run, sandboxed }: { run?: Engine['run']; sandboxed: boolean }): Promise<Looked> {
  const contender = findContender(one.contender)
  const key = `sk-ant-api03-real-${randomBytes(16).toString('hex')}`
  await using stage = await openStage()
  await using model = await practice(rulesFor(contender, key))
  const needed = contender.needs(model)
  const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, CODEX_API_KEY: ___, ...rest } = needed.credentials ?? {}
  const addresses = { ANTHROPIC_BASE_URL: model.url, OPENAI_BASE_URL: `${model.url}/v1` }
  const credentials = { ...rest, ...addresses, ...Object.fromEntries(one.keys.map((name) => [name, key])) }
  await writeFile(path.join(stage.cwd, 'look.sh'), sandboxed ? lookAround : lookAtEnvironment)
  await writeFile(path.join(stage.cwd, 'asker.mjs'), asker)
  const parts = { writable: [stage.cwd, stage.home], readOnly: [], hidden: [], settings: undefined }
  const command = one.contender === 'command' ? `node ${path.join(stage.cwd, 'asker.mjs')}` : null
  const sandbox = sandboxed ? confine(choice, parts) : null
  const task = stage.task({ ...needed, credentials, command, sandbox, prompt: 'look' })
  const engine = run === undefined ? contender.engine : { ...contender.engine, run }
  const { outcome } = await perform(engine, task)
  expect(outcome).toMatchObject({ status: 'completed' })
  return { seen: await readFile(path.join(stage.cwd, 'seen.txt'), 'utf8'), key, model }
}

needsSandbox('the key of', () => {
  beforeAll(async () => {
    choice = await chooseSandbox({ ...noSandboxWish, mode: 'required' }, process.env.PATH ?? '')
  })

  describe.each(Object.entries(cases))('%s', (_name, one) => {
    findContender(one.contender).suite('is', () => {
      test('nowhere to be seen in the sandbox, and reaches the endpoint', async () => {
        const { seen, key, model } = await looked(one, { sandboxed: true })
        expect(seen).toContain('HOME=')
        expect(seen).not.toContain(key)
        expect(seen).toContain('placeholder-')
        const asked = model.requests.filter(({ path: place }) => /\/(messages|responses|completions)$/.test(place))
        expect(asked.length).toBeGreaterThan(0)
        expect(asked.map(({ status }) => status)).not.toContain(401)
      })

      test('negative control: found without placeholders', async () => {
        const { seen, key } = await looked(one, { run: one.bare, sandboxed: true })
        expect(seen).toContain(key)
      })

      if (one.contender !== 'command') {
        test("not in the agent's environment without a sandbox", async () => {
          const { seen, key } = await looked(one, { sandboxed: false })
          expect(seen).toContain('HOME=')
          expect(seen).not.toContain(key)
        })
      }
    })
  })
})
