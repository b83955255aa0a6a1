/** A real agent CLI with whetstone as an MCP server: plan, bench and explain, without a shell. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { claudeBinary, needs } from '../../require.ts'
import { makePlace, program, startExamplePractice } from './connect.ts'

const binary = claudeBinary()
const patience = 180_000

needs(
  'the claude CLI',
  binary !== null,
  'npm run agents',
)('Claude Code with whetstone as an MCP server', () => {
  test('plans, benches and explains, and calls no shell', { timeout: patience }, async () => {
    const rules = readFileSync(path.join(import.meta.dirname, 'agent.yaml'), 'utf8').replace(/^[\s\S]*?rules:/, '')
    await using practice = await startExamplePractice('example', { first: rules })
    const place = makePlace(practice.url)
    const server = { command: process.execPath, args: [program, 'mcp', '--approve-up-to', '0'], env: place.env }
    const config = path.join(place.cwd, 'mcp.json')
    writeFileSync(config, JSON.stringify({ mcpServers: { whetstone: server } }))
    const argv = [
      ...['-p', '--output-format', 'stream-json', '--verbose', '--model', 'practice-1'],
      ...['--strict-mcp-config', '--mcp-config', config, '--allowedTools', 'mcp__whetstone__*'],
    ]
    const { stdout, stderr, exitCode } = await execa(binary ?? '', argv, {
      ...{ cwd: place.cwd, input: 'Does the skill invoice-totals help? Say why.', reject: false, timeout: patience },
      env: { ...place.env, HOME: place.cwd, DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
      extendEnv: false,
    })
    expect({ exitCode, stderr }, stdout.slice(-3000)).toMatchObject({ exitCode: 0 })
    const calls = [...stdout.matchAll(/"type":"tool_use","name":"([^"]+)"/g)].map(([, name]) => name)
    expect(calls, stdout.slice(0, 8000)).toEqual(['plan', 'bench', 'explain'].map((name) => `mcp__whetstone__${name}`))
    const last: { result?: string } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')
    expect(last.result).toContain('pass rate 100% with the skill, 40% without')
    expect(last.result).toContain('without_skill')
    expect(practice.requests.map(({ rule }) => rule)).toContain('judge decides')
  })
})
