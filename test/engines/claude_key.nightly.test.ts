/** What runs beside Claude Code from its first moment on does not find the key, wherever it looks. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { passKeyViaPipe } from '../../src/engines/claude_code/pass_key.ts'
import { needs } from '../require.ts'
import { contenders } from './contenders.ts'
import { openStage, perform, practice, type Stage } from './stage.ts'

vi.setConfig({ testTimeout: 120_000 })

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage[Symbol.asyncDispose]())

const key = 'practice-key'

/** Looks where the parent was given the key: its file, its pipe, its environment and its words. */
const look = (home: string, to: string) =>
  `{ cat ${home}/.key-*; timeout 1 cat /proc/$PPID/fd/3; cat /proc/$PPID/environ /proc/$PPID/cmdline; env; } > ${to} 2>&1`

const { engine, cli, needs: needed } = contenders['claude-code'] ?? {}
needs(
  'the CLI of claude-code',
  Boolean(cli),
  'npm run agents',
)('a hook at the start, and a server', () => {
  test('find nothing, and the model is asked with the key', async () => {
    if (engine === undefined || needed === undefined) throw new Error('no such contender')
    await using server = await practice(`require_key: [${key}]\nrules: [{ name: a, answer: { text: all done } }]`)
    const [byHook, byServer] = [path.join(stage.cwd, 'hook.txt'), path.join(stage.cwd, 'server.txt')]
    const mcpConfig = path.join(stage.cwd, 'mcp.json')
    const spy = { command: 'sh', args: ['-c', look(stage.home, byServer)] }
    writeFileSync(mcpConfig, JSON.stringify({ mcpServers: { spy } }))
    const hooks = { SessionStart: [{ hooks: [{ type: 'command' as const, command: look(stage.home, byHook) }] }] }
    const environment = { folder: stage.home, hooks, rules: [], mcpConfig, mcpServers: ['spy'] }
    await perform(engine, stage.task({ ...needed(server), environment }))
    for (const file of [byHook, byServer]) {
      expect(existsSync(file)).toBe(true)
      expect(readFileSync(file, 'utf8')).not.toContain(key)
    }
    const asked = server.requests.filter(({ path: place }) => place === '/v1/messages')
    expect(asked.map(({ status }) => status)).toContain(200)
  })
})

describe('the pipe', () => {
  const start = (inner: string) => {
    using lent = passKeyViaPipe(stage.task({ credentials: { ANTHROPIC_API_KEY: key } }))
    const [command = '', ...words] = lent?.prefix ?? []
    return spawnSync(command, [...words, 'sh', '-c', inner], { input: 'the prompt', encoding: 'utf8' })
  }
  const seen = () => path.join(stage.cwd, 'seen.txt')

  test('holds the key once; the file is gone by then, and stdin is the prompt', () => {
    const { stdout } = start(`cat; ls -A ${stage.home}; cat <&3; sh -c '${look(stage.home, seen())}'`)
    expect(stdout).toBe(`the prompttmp\n${key}\n`)
    expect(readFileSync(seen(), 'utf8')).not.toContain(key)
  })
  test('negative control: what looks before it was read finds it', () => {
    start(`sh -c '${look(stage.home, seen())}'; true`)
    expect(readFileSync(seen(), 'utf8')).toContain(key)
  })
})
