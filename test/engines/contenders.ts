/** The engines that the contract holds for, each with its way of being reached and of speaking of tools. */
import path from 'node:path'
import { describe } from 'vitest'
import type { Engine, EngineTask } from '../../src/engines/engine.ts'
import { findEngine } from '../../src/engines/table.ts'
import type { PracticeServer } from '../../src/features/practice/server.ts'
import { claudeBinary, cliBinary, cliFolder, needs, type Suite } from '../require.ts'
import type { RecordedCli } from './recorded/recording.ts'
import { agents, keysFor } from './stage.ts'

/** A tool call of the practice model, as its scenario writes it. */
type Call = { name: string; input: object }

export interface Contender {
  engine: Engine
  /** The CLI that it drives; null: not installed; absent: it drives none. */
  cli?: string | null
  /** How it finds that CLI; absent: it drives none. */
  recorded?: RecordedCli
  /** What a task needs besides the prompt. */
  needs(server: Pick<PracticeServer, 'url'>): Partial<EngineTask>
  /** How its model runs a command, reads a file, and loads a skill by a tool of its own. */
  shell(command: string): Call
  read(file: string): Call
  /** What it shows of its work; null: nothing but the answer. */
  shows: {
    model: string
    provider: string
    /** How its tool for commands is named in the transcript. */
    tool: string
    /** It does not say how many of its tokens were reasoning. */
    hidesReasoning?: true
    /** Tokens to think with at the effort `high`; absent: its model has levels. */
    high?: number
    /** Its API does not count the tokens that are written to a cache. */
    hidesCacheWrites?: true
  } | null
}

const claudeTools = {
  shell: (command: string) => ({ name: 'Bash', input: { command } }),
  read: (file: string) => ({ name: 'Read', input: { file_path: file } }),
}

const claudeShows = { model: 'sonnet', provider: 'anthropic', tool: 'Bash' }

/** Where `npm run agents` lets Copilot unpack itself. */
const copilotUnpacked = path.join(cliFolder, '../home/.cache/copilot')

export const contenders: Record<string, Contender> = {
  command: {
    engine: findEngine('command'),
    needs: () => ({ command: `node ${path.join(agents, 'worker.mjs')}`, credentials: { OPENAI_API_KEY: 'key' } }),
    ...claudeTools,
    shows: null,
  },
  anthropic: {
    engine: findEngine('anthropic'),
    needs: (server) => ({ credentials: keysFor(server), model: 'claude-sonnet-5-5' }),
    ...claudeTools,
    shows: claudeShows,
  },
  openai: {
    engine: findEngine('openai'),
    needs: (server) => ({ credentials: keysFor(server), model: 'gpt-5.4-mini' }),
    ...claudeTools,
    shows: { model: 'gpt-5.4-mini', provider: 'openai', tool: 'Bash' },
  },
  'claude-code': {
    engine: findEngine('claude-code'),
    cli: claudeBinary(),
    recorded: { program: 'claude', variable: 'WHETSTONE_CLAUDE' },
    needs: (server) => ({
      credentials: { ...keysFor(server), WHETSTONE_CLAUDE: claudeBinary() ?? 'claude' },
      model: 'sonnet',
    }),
    ...claudeTools,
    shows: claudeShows,
  },
  codex: {
    engine: findEngine('codex'),
    cli: cliBinary('codex'),
    recorded: { program: 'codex', variable: 'WHETSTONE_CODEX' },
    needs: (server) => ({
      credentials: {
        CODEX_API_KEY: 'practice-key',
        OPENAI_BASE_URL: `${server.url}/v1`,
        WHETSTONE_CODEX: cliBinary('codex') ?? 'codex',
      },
      model: 'gpt-5.5',
    }),
    shell: (command) => ({ name: 'exec_command', input: { cmd: command } }),
    read: (file) => ({ name: 'exec_command', input: { cmd: `cat ${file}` } }),
    shows: { model: 'gpt-5.5', provider: 'openai', tool: 'exec_command' },
  },
  opencode: {
    engine: findEngine('opencode'),
    cli: cliBinary('opencode'),
    recorded: { program: 'opencode', variable: 'WHETSTONE_OPENCODE' },
    needs: (server) => ({
      credentials: { ...keysFor(server), WHETSTONE_OPENCODE: cliBinary('opencode') ?? 'opencode' },
      model: 'anthropic/claude-sonnet-5-5',
    }),
    shell: (command) => ({ name: 'bash', input: { command, description: 'do it' } }),
    read: (file) => ({ name: 'read', input: { filePath: file } }),
    shows: { model: 'sonnet', provider: 'anthropic', tool: 'bash' },
  },
  pi: {
    engine: findEngine('pi'),
    cli: cliBinary('pi'),
    recorded: { program: 'pi', variable: 'WHETSTONE_PI' },
    needs: (server) => ({
      credentials: { ...keysFor(server), WHETSTONE_PI: cliBinary('pi') ?? 'pi' },
      model: 'anthropic/claude-sonnet-4-5',
    }),
    shell: (command) => ({ name: 'bash', input: { command } }),
    read: (file) => ({ name: 'read', input: { path: file } }),
    shows: { model: 'sonnet', provider: 'anthropic', tool: 'bash', hidesReasoning: true, high: 16_384 },
  },
  copilot: {
    engine: findEngine('copilot'),
    cli: cliBinary('copilot'),
    recorded: { program: 'copilot', variable: 'WHETSTONE_COPILOT' },
    needs: (server) => ({
      credentials: {
        ...keysFor(server),
        WHETSTONE_COPILOT: cliBinary('copilot') ?? 'copilot',
        COPILOT_CACHE_HOME: copilotUnpacked,
      },
      model: 'anthropic/claude-sonnet-5-5',
    }),
    shell: (command) => ({ name: 'bash', input: { command, description: 'do it' } }),
    read: (file) => ({ name: 'view', input: { path: file } }),
    shows: { model: 'sonnet', provider: 'anthropic', tool: 'bash' },
  },
  gemini: {
    engine: findEngine('gemini'),
    cli: cliBinary('gemini'),
    recorded: { program: 'gemini', variable: 'WHETSTONE_GEMINI' },
    needs: (server) => ({
      credentials: {
        GEMINI_API_KEY: 'practice-key',
        GOOGLE_GEMINI_BASE_URL: server.url,
        WHETSTONE_GEMINI: cliBinary('gemini') ?? 'gemini',
      },
      model: 'gemini-2.5-pro',
    }),
    shell: (command) => ({ name: 'run_shell_command', input: { command } }),
    read: (file) => ({ name: 'read_file', input: { file_path: file } }),
    shows: {
      model: 'gemini-2.5-pro',
      provider: 'google',
      tool: 'run_shell_command',
      hidesCacheWrites: true,
      high: 24_576,
    },
  },
  qwen: {
    engine: findEngine('qwen'),
    cli: cliBinary('qwen'),
    recorded: { program: 'qwen', variable: 'WHETSTONE_QWEN' },
    needs: (server) => ({
      credentials: { ...keysFor(server), WHETSTONE_QWEN: cliBinary('qwen') ?? 'qwen' },
      model: 'gpt-5.4-mini',
    }),
    shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'do it', is_background: false } }),
    read: (file) => ({ name: 'read_file', input: { file_path: file } }),
    shows: { model: 'gpt-5.4-mini', provider: 'openai', tool: 'run_shell_command', hidesCacheWrites: true },
  },
}

/** The contender of this name. `suite`: a group of its tests, skipped where the CLI that it drives is not there. */
export function findContender(name: string): Contender & { suite: Suite } {
  const contender = contenders[name]
  if (contender === undefined) throw new Error(`no contender is named ${name}`)
  const { cli } = contender
  const suite = cli === undefined ? describe : needs(`the CLI of ${name}`, cli !== null, 'npm run agents')
  return { ...contender, suite }
}

/** The variables that limit how often an agent CLI sends a request again. */
export const ownRetryNames = ['CLAUDE_CODE', 'CODEX', 'OPENCODE', 'GEMINI', 'PI', 'COPILOT', 'QWEN'].map(
  (name) => `${name}_MAX_RETRIES`,
)

/** What the model does for each prompt; the worker agent of the command engine does the same. */
export function rulesFor({ engine, shell, read }: Contender): string {
  const rule = (name: string, when: object, answer: object) => ({ name, when, answer })
  const call = (one: Call) => ({ tool_calls: [one] })
  const skillFile = `${engine.skillsFolder}/demo/SKILL.md`
  const verdict = { verdict: 'yes', score: 3 }
  const rules = [
    rule(
      'submit',
      { tool: '^(submit|StructuredOutput)$' },
      { tool_calls: [{ name: ['submit', 'StructuredOutput'], input: verdict }] },
    ),
    rule('verdict', { user: '^verdict$' }, { text: JSON.stringify(verdict) }),
    rule('sleep-later', { user: 'sleep later', turn: { min: 2 } }, call(shell('touch started; sleep 300'))),
    rule('echo-first', { user: 'sleep later' }, call(shell('echo first'))),
    rule('finish', { turn: { min: 2 } }, { text: 'all done' }),
    rule('greet', { user: 'greet' }, { text: 'I write it.', ...call(shell('printf hello > greeting.txt')) }),
    rule('env', { user: 'env please' }, call(shell('env > env.txt'))),
    rule('sleep', { user: 'sleep' }, call(shell('touch started; sleep 300'))),
    ...['Skill', 'skill', 'activate_skill'].map((name) => {
      const input = { ...(name !== 'Skill' && { name: 'demo' }), ...(name !== 'activate_skill' && { skill: 'demo' }) }
      return rule(name, { user: 'use the skill', tool: `^${name}$` }, call({ name, input }))
    }),
    rule('skill-file', { user: 'use the skill' }, call(read(skillFile))),
    { name: 'other', answer: { text: 'all done' } },
  ]
  return JSON.stringify({ rules })
}
