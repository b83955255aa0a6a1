/** Contamination: nothing of a user's own set-up reaches either arm, for each engine; with the guards off all of it does. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { chooseSandbox, noSandboxWish } from '../../../src/base/sandbox/choose.ts'
import type { Engine } from '../../../src/engines/engine.ts'
import { performRun } from '../../../src/phases/2-run/run.ts'
import { contenders } from '../../engines/contenders.ts'
import { practice } from '../../engines/stage.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { cliFolder, needs } from '../../require.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'
import { canary, look, pollutedEnv, pollutedHome } from './polluted.ts'

// opencode takes seconds of CPU to start, and a machine may be busy
vi.setConfig({ testTimeout: 240_000 })

const skill = () =>
  makeSkill([{ id: 1, name: 'clean', prompt: 'look around', checks: [{ type: 'contains', value: 'seen' }] }])
const worker = `sh -c '${look}'`
/** With what the CLIs need besides. */
const searchPath = `${process.env.PATH}:${cliFolder}`
const unguarded = path.join(import.meta.dirname, '../../fixtures/programs/unguarded.mjs')

vi.setConfig({ testTimeout: 180_000 })

describe.each(Object.entries(contenders))('%s', (name, contender) => {
  const suite =
    contender.cli === undefined ? describe : needs(`the CLI of ${name}`, contender.cli !== null, 'npm run agents')
  const scenario = JSON.stringify({
    rules: [
      { name: 'looks', when: { turn: 1 }, answer: { tool_calls: [contender.shell(look)] } },
      { name: 'answers', answer: { text: 'seen' } },
    ],
  })
  suite('a polluted home', () => {
    test('reaches neither arm', async () => {
      await using server = await practice(scenario)
      const workspace = path.join(fresh(), 'ws')
      const { credentials, model } = contender.needs(server)
      const engine = name === 'command' ? `command:${worker}` : name
      const chosen = model ? ['--model', model] : []
      const args = [
        'bench',
        skill(),
        '--engine',
        engine,
        ...chosen,
        '--runs',
        '1',
        '--retries',
        '0',
        '--workspace',
        workspace,
      ]
      const end = await whetstone(args, { env: { ...pollutedEnv(pollutedHome()), ...credentials, PATH: searchPath } })
      expect(end.code, end.stderr).toBe(0)
      const asked = server.requests.filter((one) => one.rule !== null)
      if (name !== 'command') expect(asked.map((one) => one.rule)).toEqual(expect.arrayContaining(['looks', 'answers']))
      expect(canariesIn(JSON.stringify(server.requests))).toEqual([])
      const results = textBelow(workspace)
      expect(results).toContain('whetstone-') // the command was run and its output is there
      expect(canariesIn(results)).toEqual([])
    })

    test('negative control: with the guards off its canaries are met, and what the engine says it loaded fails the run', async () => {
      await using server = await practice(scenario)
      const home = pollutedHome()
      const { credentials = {}, model = null, command = null } = contender.needs(server)
      const { record, log } = await performed(openedTo(home, contender.engine, contender.cli ?? null), {
        credentials: { ...credentials },
        ...{ model, command: name === 'command' ? worker : command },
      })
      const met = canariesIn(log + JSON.stringify(server.requests))
      expect(met).toEqual(expect.arrayContaining([`${canary}-MEMORY`, `${canary}-HOME`]))
      if (contender.cli === undefined) return
      expect(met).toContain(`${canary}-SKILL`)
      expect(record).toMatchObject({ status: 'failed', error: { kind: 'contaminated' } })
    })

    if (name !== 'claude-code') return
    test("a user's server and plugin alone fail the run too", async () => {
      await using server = await practice(scenario)
      const home = pollutedHome()
      const { credentials = {}, model = null } = contender.needs(server)
      const engine = openedTo(home, contender.engine, contender.cli ?? null)
      const { record } = await performed(engine, { credentials: { ...credentials }, model, absent: 'another' })
      expect(record.loaded).toMatchObject({ mcp_servers: ['spy'], plugins: ['spy'] })
      const message = 'the agent loaded the MCP server spy, the plugin spy, which the suite does not define'
      expect(record).toMatchObject({ status: 'failed', error: { kind: 'contaminated', message } })
    })
  })
})

/** The engine with the user's home in place of the run's, and a CLI without its guards. */
function openedTo(home: string, engine: Engine, cli: string | null): Engine {
  return {
    ...engine,
    run(task, context) {
      const program = { UNGUARDED: JSON.stringify({ UNGUARDED_PROGRAM: cli, UNGUARDED_HOME: home }) }
      const wrapped = Object.keys(task.credentials).filter((key) => key.startsWith('WHETSTONE_'))
      const credentials = { ...task.credentials, ...Object.fromEntries(wrapped.map((key) => [key, unguarded])) }
      const { CODEX_HOME: _, ...polluted } = pollutedEnv(home)
      const env = { ...task.env, ...polluted, ...program }
      return engine.run({ ...task, env, credentials }, context)
    },
  }
}

interface Place {
  credentials: Record<string, string>
  model: string | null
  command?: string | null
  absent?: string
}

/** One run of the arm without the skill. */
async function performed(engine: Engine, { credentials, model, command = null, absent = 'tidy' }: Place) {
  const folder = path.join(fresh(), 'run')
  const choice = { name: engine.name, model, ...(command !== null && { command }) }
  const { record } = await performRun({
    spec: specOf({ prompt: 'look around', configuration: 'without_skill', absent_skill: absent, engine: choice }),
    engine,
    skillFiles: [],
    folder,
    userEnv: { PATH: searchPath, ...credentials },
    passEnv: [],
    hidden: [],
    sandbox: await chooseSandbox({ ...noSandboxWish, mode: 'off' }, ''),
    attempt: 1,
    signal: new AbortController().signal,
  })
  return { record, log: textBelow(folder) }
}

function textBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files.map((one) => readFileSync(path.join(one.parentPath, one.name), 'utf8')).join('\n')
}

function canariesIn(text: string): string[] {
  return [...new Set(text.match(new RegExp(`${canary}-[A-Z]+`, 'g')) ?? [])].sort()
}
