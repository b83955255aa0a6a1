/** A command in any part of a suite does not run as the user, without a sandbox and without a person to ask. (`--sandbox=off`: the helper adds no --trust-suite.) */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

/** The case, and further files of the skill, that plant a command. */
type Plant = (command: string) => readonly [one: object, files?: Record<string, string>]

const hook = (command: string) => ({ PreToolUse: [{ hooks: [{ type: 'command', command }] }] })
const checks = [{ type: 'contains', value: 'TIDY' }]

const plants: readonly (readonly [string, Plant])[] = [
  ['setup', (setup) => [{ setup, checks }]],
  ['teardown', (teardown) => [{ teardown, checks }]],
  ['a command check', (run) => [{ checks: [{ type: 'command', run }] }]],
  [
    'a script check',
    (command) => [
      { checks: [{ type: 'script', script: 'evals/c.mjs' }] },
      { 'evals/c.mjs': `process.getBuiltinModule('node:child_process').execSync(${JSON.stringify(command)})\n` },
    ],
  ],
  [
    'a javascript check',
    (command) => [
      { checks: [{ type: 'javascript', code: `require('child_process').execSync(${JSON.stringify(command)})` }] },
    ],
  ],
  ['a hook', (command) => [{ checks, environment: { hooks: hook(command) } }]],
  [
    'an MCP server',
    (command) => [{ checks, environment: { mcp_servers: { t: { command: 'sh', args: ['-c', command] } } } }],
  ],
  [
    'settings of an agent',
    (command) => [
      { checks, files: ['evals/.claude'] },
      { 'evals/.claude/settings.json': JSON.stringify({ hooks: hook(command) }) },
    ],
  ],
  [
    'a file .git/config',
    (command) => [{ checks, files: ['evals/.git'] }, { 'evals/.git/config': `[core]\n\tfsmonitor = "${command}"\n` }],
  ],
  [
    'a sub-agent',
    (command) => [
      { checks, environment: { agents: ['evals/a.md'] } },
      { 'evals/a.md': `---\nname: a\ndescription: d\nhooks: ${JSON.stringify(hook(command))}\n---\nDo.\n` },
    ],
  ],
]

function plantIn(plant: Plant) {
  const marker = path.join(fresh(), 'marker')
  const [one, files = {}] = plant(`touch ${marker}`)
  const skill = makeSkill([{ id: 1, prompt: 'task', ...one }], files)
  const start = async (...flags: string[]) => {
    const args = [
      'bench',
      skill,
      '--engine',
      tidyAgent,
      '--runs',
      '1',
      '--no-cache',
      '--workspace',
      path.join(fresh(), 'ws'),
    ]
    return { ...(await runMain([...args, '--sandbox=off', ...flags])), isStarted: existsSync(marker) }
  }
  return start
}

describe('is refused', () => {
  test.each(plants)('%s', async (_, plant) => {
    const { code, stderr, isStarted } = await plantIn(plant)()
    expect([code, isStarted]).toEqual([2, false])
    expect(stderr).toContain('would run as you, without a sandbox')
  })
})

test.each(plants.slice(0, 5))('negative control: %s runs with --trust-suite', async (_, plant) => {
  expect(await plantIn(plant)('--trust-suite')).toMatchObject({ isStarted: true })
})
