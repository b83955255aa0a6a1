/** The real Qwen Code CLI: a script that starts it in the sandbox, and what can't redirect a judge. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { chooseSandbox, noSandboxWish } from '../../../src/base/sandbox/choose.ts'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { qwen } from '../../../src/features/qwen/qwen.ts'
import { confine } from '../../../src/phases/2-run/workspace/sandbox_policy.ts'
import { findContender } from '../../engines/contenders.ts'
import { keysFor, openStage, perform, practice } from '../../engines/stage.ts'
import { cliBinary } from '../../require.ts'
import { needsSandbox } from '../../sandbox/needs_sandbox.ts'

vi.setConfig({ testTimeout: 240_000 })

const program = cliBinary('qwen')

const shell = (command: string) => ({ name: 'run_shell_command', input: { command, description: 'do it' } })
const rules = (command: string) =>
  JSON.stringify({
    rules: [
      { name: 'end', when: { turn: { min: 2 } }, answer: { text: 'all done' } },
      { name: 'work', when: { tool: '^run_shell_command$' }, answer: { tool_calls: [shell(command)] } },
      { name: 'judge', answer: { text: 'a verdict' } },
    ],
  })

findContender('qwen').suite('Qwen Code', () => {
  needsSandbox('in the sandbox', () => {
    test('starts from a script in another folder than its own', async () => {
      await using stage = await openStage()
      await using server = await practice(rules('printf hello > greeting.txt'))
      const folder = await mkdtemp(path.join(tmpdir(), 'wrapper-'))
      try {
        const script = path.join(folder, 'qwen')
        await writeFile(script, await readFile(program ?? '', 'utf8'))
        await chmod(script, 0o755)
        const choice = await chooseSandbox({ ...noSandboxWish, mode: 'required' }, process.env.PATH ?? '')
        const parts = { writable: [stage.cwd, stage.home], readOnly: [], hidden: [], settings: undefined }
        const credentials = { ...keysFor(server), WHETSTONE_QWEN: script }
        // without the folder of the agent CLIs on PATH, the script alone says where they are
        const env = { ...stage.env, PATH: process.env.PATH ?? '' }
        const { outcome } = await perform(qwen, stage.task({ credentials, env, sandbox: confine(choice, parts) }))
        expect(outcome).toMatchObject({ status: 'completed' })
        expect(await readFile(path.join(stage.cwd, 'greeting.txt'), 'utf8')).toBe('hello')
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    })
  })

  test('settings, instructions and skills in the folder reach an agent, and never a judge', async () => {
    await using stage = await openStage()
    await using server = await practice(rules('true'))
    const elsewhere = { id: 'gpt-5.4-mini', baseUrl: 'http://127.0.0.1:9/v1', envKey: 'OPENAI_API_KEY' }
    await mkdir(path.join(stage.cwd, '.qwen'))
    const settings = path.join(stage.cwd, '.qwen/settings.json')
    await writeFile(path.join(stage.cwd, 'QWEN.md'), 'MEMORY-CANARY')
    await stage.skill(qwen.skillsFolder)
    const credentials = { ...keysFor(server), WHETSTONE_QWEN: program ?? '' }
    const env = { ...stage.env, QWEN_MAX_RETRIES: '0' }
    const run = (tools: EngineTask['tools']) =>
      perform(qwen, stage.task({ credentials, env, tools, model: 'gpt-5.4-mini' }))
    const seen = () => JSON.stringify(server.requests)

    await writeFile(settings, JSON.stringify({ modelProviders: { openai: [elsewhere] } }))
    const judge = await run('read_only')
    expect(judge.outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'a verdict' } })
    expect(seen()).not.toMatch(/MEMORY-CANARY|Shows things/)
    expect(server.requests.at(-1)?.tools.toSorted()).toEqual(['glob', 'grep_search', 'read_file'])
    // negative control: the same file sends an agent's requests elsewhere
    expect((await run('all')).outcome).toMatchObject({ status: 'failed', error: { kind: 'unreachable' } })
    await rm(settings)
    expect((await run('all')).outcome).toMatchObject({ status: 'completed' })
    expect(seen()).toMatch(/MEMORY-CANARY/)
    expect(seen()).toMatch(/Shows things/)
  })
})
