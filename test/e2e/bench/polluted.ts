/** Contamination: the home of a user who has set up everything that an agent could read, each with a canary, and what an engine may show of it. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { chooseSandbox, noSandboxWish } from '../../../src/base/sandbox/choose.ts'
import type { Engine } from '../../../src/engines/engine.ts'
import { performRun } from '../../../src/phases/2-run/run.ts'
import type { Contender } from '../../engines/contenders.ts'
import { practice } from '../../engines/stage.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { cliFolder, needs } from '../../require.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

/** Begins every canary, and is in the path of the home. */
const canary = 'POLLUTED'

const skillIn = (place: string) =>
  `---\nname: tidy\ndescription: ${canary}-SKILL of ${place} tidies.\n---\n${canary}-BODY\n`
const says = (what: string) => `${canary}-${what}`

/** Gives its path. */
function pollutedHome(): string {
  const home = path.join(fresh(), `${canary}-HOME`)
  const server = path.join(home, 'spy.mjs')
  const hook = (event: string) => ({
    [event]: [{ hooks: [{ type: 'command', command: `echo ${says(`HOOK-${event}`)}` }] }],
  })
  const mcpServers = { spy: { command: 'node', args: [server, says('SERVER')] } }
  const plugin = '.claude/plugins/spy'
  const files: Record<string, string | object> = {
    'CLAUDE.md': says('HOME-MEMORY'),
    'AGENTS.md': says('HOME-AGENTS'),
    '.claude/CLAUDE.md': says('MEMORY'),
    '.claude/rules/spy.md': says('RULE'),
    '.claude/skills/tidy/SKILL.md': skillIn('.claude'),
    '.claude/agents/spy.md': `---\nname: spy\ndescription: ${says('AGENT')}\n---\nSpy.\n`,
    '.claude/commands/spy.md': says('COMMAND'),
    '.claude/output-styles/spy.md': `---\nname: spy\ndescription: d\n---\n${says('STYLE')}\n`,
    '.claude/settings.json': {
      env: { SPY: says('SETTING') },
      hooks: { ...hook('SessionStart'), ...hook('UserPromptSubmit') },
    },
    [`${plugin}/.claude-plugin/plugin.json`]: { name: 'spy', version: '1.0.0', description: says('PLUGIN') },
    [`${plugin}/skills/plugged/SKILL.md`]: `---\nname: plugged\ndescription: ${says('PLUGIN-SKILL')}\n---\nSpy.\n`,
    '.claude.json': { mcpServers },
    '.claude/.claude.json': { mcpServers },
    '.agents/skills/tidy/SKILL.md': skillIn('.agents'),
    '.agents/AGENTS.md': says('AGENTS'),
    '.codex/config.toml': `[mcp_servers.spy]\ncommand = "node"\nargs = [${JSON.stringify(server)}, "${says('SERVER')}"]\n`,
    '.codex/AGENTS.md': says('CODEX-MEMORY'),
    '.codex/skills/tidy/SKILL.md': skillIn('.codex'),
    '.config/opencode/AGENTS.md': says('OPENCODE-MEMORY'),
    '.config/opencode/opencode.json': { instructions: [path.join(home, 'AGENTS.md')] },
    '.config/opencode/skills/tidy/SKILL.md': skillIn('opencode'),
    '.pi/agent/AGENTS.md': says('PI-MEMORY'),
    '.pi/agent/skills/tidy/SKILL.md': skillIn('pi'),
    '.gemini/GEMINI.md': says('GEMINI-MEMORY'),
    '.gemini/skills/tidy/SKILL.md': skillIn('.gemini'),
    '.qwen/QWEN.md': says('QWEN-MEMORY'),
    '.qwen/skills/tidy/SKILL.md': skillIn('.qwen'),
    '.copilot/copilot-instructions.md': says('COPILOT-MEMORY'),
    '.copilot/skills/tidy/SKILL.md': skillIn('.copilot'),
    '.copilot/mcp-config.json': { mcpServers },
    '.copilot/settings.json': { hooks: { sessionStart: [{ type: 'command', bash: `echo ${says('HOOK')}` }] } },
    '.gitconfig': `[user]\n\tname = ${says('GIT')}\n`,
    '.netrc': says('NETRC'),
    '.bashrc': `echo ${says('SHELL')}\nexport SPY=${says('SHELL')}\n`,
    '.profile': `export SPY=${says('SHELL')}\n`,
  }
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(home, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  cpSync(path.join(import.meta.dirname, '../../fixtures/servers/tickets.mjs'), server)
  return home
}

/** What such a user also has in the environment. */
function pollutedEnv(home: string): Record<string, string> {
  return {
    HOME: home,
    CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
    CODEX_HOME: path.join(home, '.codex'),
    COPILOT_HOME: path.join(home, '.copilot'),
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_DATA_HOME: path.join(home, '.local/share'),
    BASH_ENV: path.join(home, '.bashrc'),
    ENV: path.join(home, '.profile'),
    GIT_CONFIG_GLOBAL: path.join(home, '.gitconfig'),
    ANTHROPIC_CUSTOM_HEADERS: `x-spy: ${says('HEADER')}`,
    OPENAI_ORG_ID: says('ORG'),
  }
}

/** A command that shows all of it where the home is the user's. */
const look = [
  'cat ~/CLAUDE.md ~/.claude/CLAUDE.md ~/.claude.json ~/.codex/config.toml ~/.agents/AGENTS.md ~/.netrc 2>&1',
  'cat "$XDG_CONFIG_HOME/opencode/AGENTS.md" 2>&1',
  'git config --get user.name',
  'env',
  'true',
].join('; ')

const skill = () =>
  makeSkill([{ id: 1, name: 'clean', prompt: 'look around', checks: [{ type: 'contains', value: 'seen' }] }])
const worker = `sh -c '${look}'`
/** With what the CLIs need besides. */
const searchPath = `${process.env.PATH}:${cliFolder}`
const unguarded = path.join(import.meta.dirname, '../../fixtures/programs/unguarded.mjs')

/** The tests that each engine has to pass: nothing of a user's own set-up reaches either arm; with the guards off all of it does. */
export function testPollution(name: string, contender: Contender): void {
  const suite =
    contender.cli === undefined ? describe : needs(`the CLI of ${name}`, contender.cli !== null, 'npm run agents')
  const scenario = JSON.stringify({
    rules: [
      { name: 'looks', when: { turn: 1 }, answer: { tool_calls: [contender.shell(look)] } },
      { name: 'answers', answer: { text: 'seen' } },
    ],
  })
  suite(`${name}: a polluted home`, () => {
    test('reaches neither arm', async () => {
      await using server = await practice(scenario)
      const workspace = path.join(fresh(), 'ws')
      const { credentials, model } = contender.needs(server)
      const engine = name === 'command' ? `command:${worker}` : name
      const chosen = model ? ['--model', model] : []
      const args = ['bench', skill(), '--engine', engine, ...chosen, '--workspace', workspace]
      const end = await whetstone([...args, '--runs', '1', '--retries', '0'], {
        env: { ...pollutedEnv(pollutedHome()), ...credentials, PATH: searchPath },
      })
      expect(end.code, end.stderr).toBe(0)
      const asked = server.requests.filter((one) => one.rule !== null)
      if (name !== 'command') expect(asked.map((one) => one.rule)).toEqual(expect.arrayContaining(['looks', 'answers']))
      expect(canariesIn(JSON.stringify(server.requests))).toEqual([])
      const results = textBelow(workspace)
      expect(results).toContain('user-') // the command was run and its output is there
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
}

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
