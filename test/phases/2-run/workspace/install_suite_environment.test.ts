/** The environment of a suite laid out: scripts outside of the working folder, the rest in Claude Code's places. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Environment, InputFile } from '../../../../schemas/suite.ts'
import { sha256 } from '../../../../src/base/json/json.ts'
import { installEnvironment } from '../../../../src/phases/2-run/workspace/install_suite_environment.ts'
import { SetupError } from '../../../../src/phases/2-run/workspace/symlink_traps.ts'

const root = mkdtempSync(path.join(tmpdir(), 'environment-'))

function source(name: string, text: string): InputFile {
  const file = path.join(root, path.basename(name))
  writeFileSync(file, text, { mode: 0o755 })
  return { path: name, source: file, kind: 'file', sha256: sha256(text), bytes: text.length }
}

const wanted: Environment = {
  files: [source('evals/guard.sh', '#!/bin/sh\n')],
  hooks: { Stop: [{ hooks: [{ type: 'command', command: '"$' + '{ENVIRONMENT_DIR}/evals/guard.sh"' }] }] },
  rules: [source('house.md', 'Be tidy.')],
  agents: [source('reviewer.md', '---\nname: reviewer\n---\n')],
  mcp_servers: { tickets: { command: 'node', args: ['$' + '{ENVIRONMENT_DIR}/t.mjs'] } },
}

async function laidOut(environment: Environment | undefined, prepare = (_cwd: string) => {}) {
  const room = mkdtempSync(path.join(root, 'room-'))
  const cwd = path.join(room, 'work')
  mkdirSync(cwd)
  prepare(cwd)
  const installed = await installEnvironment(environment, { cwd, folder: path.join(room, 'environment') })
  const read = (name: string) => readFileSync(path.join(room, name), 'utf8')
  return { room, cwd, installed, read }
}

describe('everything has its place', async () => {
  const { room, cwd, installed, read } = await laidOut(wanted)
  const folder = path.join(room, 'environment')
  test('scripts outside of the working folder, runnable and read-only; hooks and servers name them there', () => {
    expect(statSync(path.join(folder, 'evals/guard.sh')).mode & 0o777).toBe(0o555)
    expect(existsSync(path.join(cwd, 'evals'))).toBe(false)
    const { hooks } = JSON.parse(read('work/.claude/settings.json'))
    expect(hooks.Stop[0].hooks[0].command).toBe(`"${folder}/evals/guard.sh"`)
    expect(installed?.hooks).toEqual(hooks)
    const tickets = { command: 'node', args: [`${folder}/t.mjs`] }
    expect(JSON.parse(read('work/.mcp.json'))).toEqual({ mcpServers: { tickets } })
    expect(installed).toMatchObject({ mcpConfig: path.join(cwd, '.mcp.json'), mcpServers: ['tickets'] })
  })
  test('rules and sub-agents', () => {
    expect(read('work/.claude/rules/house.md')).toBe('Be tidy.')
    expect(read('work/.claude/agents/reviewer.md')).toContain('name: reviewer')
    expect(installed?.rules).toEqual([{ name: 'house.md', text: 'Be tidy.' }])
  })
})

describe('a hook of several lines', () => {
  const long = { type: 'command', command: 'export A="$' + '{ENVIRONMENT_DIR}"\necho "$A" >&2; exit 2' }
  const hooks = { Stop: [{ hooks: [...(wanted.hooks.Stop?.[0]?.hooks ?? []), long] }] }
  test('runs from a file, so that the agent sees a path where a CLI shows the command', async () => {
    const { room, installed } = await laidOut({ ...wanted, hooks })
    const folder = path.join(room, 'environment')
    const [short, moved] = installed?.hooks.Stop?.[0]?.hooks ?? []
    expect(short?.command).toBe(`"${folder}/evals/guard.sh"`)
    expect(moved?.command).toBe(`sh ${folder}/hook-2.sh`)
    const { status, stderr } = spawnSync('/bin/sh', ['-c', moved?.command ?? ''], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, `${folder}\n`])
  })
  test("is refused where the package has the file's name", async () => {
    const files = [source('hook-2.sh', 'true')]
    await expect(laidOut({ ...wanted, files, hooks })).rejects.toThrow(SetupError)
  })
})

test('a case without one gets nothing', async () => {
  const { room, installed } = await laidOut(undefined)
  expect(installed).toBeUndefined()
  expect(existsSync(path.join(room, 'environment'))).toBe(false)
})
test('what has changed since the plan is refused', async () => {
  const changed = { ...wanted, rules: wanted.rules.map((rule) => ({ ...rule, sha256: 'other' })) }
  await expect(laidOut(changed)).rejects.toThrow(SetupError)
})
test.each(['.claude/settings.json', '.mcp.json', '.claude/rules/house.md'])(
  'it lies over no input: %s',
  async (name) => {
    const put = (cwd: string) => {
      mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true })
      writeFileSync(path.join(cwd, name), '{}')
    }
    await expect(laidOut(wanted, put)).rejects.toThrow(/house\.md|settings\.json|\.mcp\.json/)
  },
)

test.each([
  ['AGENTS.md', { ...wanted, instructions: 'Be tidy.' }],
  ['.mcp.json', wanted],
  ['.claude/settings.json', wanted],
  ['.claude/rules/house.md', wanted],
  ['.git/info/exclude', wanted],
])('%s that is a pipe is refused, and holds nothing up', async (name, environment) => {
  const pipe = (cwd: string) => {
    mkdirSync(path.join(cwd, path.dirname(name)), { recursive: true })
    execFileSync('mkfifo', [path.join(cwd, name)])
  }
  const made = laidOut(environment, pipe)
  await expect(made).rejects.toThrow(SetupError)
  await expect(made).rejects.toThrow(`${name}: it is a pipe`)
})

test.each([
  ['.claude', wanted],
  ['.mcp.json', wanted],
  ['AGENTS.md', { ...wanted, instructions: 'Be tidy.' }],
])(
  '%s that is a link out of the working folder is refused, and nothing is written there',
  async (name, environment) => {
    const outside = mkdtempSync(path.join(root, 'outside-'))
    const to = name === '.claude' ? outside : path.join(outside, 'new')
    const link = (cwd: string) => symlinkSync(to, path.join(cwd, name))
    await expect(laidOut(environment, link)).rejects.toThrow(SetupError)
    expect(readdirSync(outside)).toEqual([])
  },
)
