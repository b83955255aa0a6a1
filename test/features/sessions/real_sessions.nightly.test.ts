/** Sessions that the real agent CLIs write here: at least 95% of their records are read, and the conversation is the one that was had. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { copilotArguments, copilotEnvironment } from '../../../src/features/copilot/argv.ts'
import { createOpencodeFolders } from '../../../src/features/opencode/opencode.ts'
import { readSessions } from '../../../src/features/sessions/read_sessions.ts'
import { openStage, practice, type Stage } from '../../engines/stage.ts'
import { claudeBinary, cliBinary, needs } from '../../require.ts'

const run = promisify(execFile)

interface ToolCall {
  name: string
  input: object
}

/** `skill` and `shell`: how the CLI's model reads the skill and runs a command, each once. */
function scenario({ skill, shell }: { skill: ToolCall; shell: ToolCall }): string {
  const once = (last: string, call: ToolCall, turn: object) => ({
    name: last,
    when: { last, tool: `^${call.name}$`, ...turn },
    answer: { text: 'I do it.', tool_calls: [call] },
  })
  const isOne = skill.name === shell.name
  const first = isOne ? { turn: 1 } : { not_called: `^${skill.name}$` }
  const second = isOne ? {} : { not_called: `^${shell.name}$` }
  return JSON.stringify({
    rules: [
      once('use the skill', skill, first),
      once('write it', shell, second),
      { name: 'end', answer: { text: 'all done' } },
    ],
  })
}

async function start(stage: Stage, program: string | null, { args, env }: { args: string[]; env: object }) {
  const started = run(program ?? '', args, { cwd: stage.cwd, env: { ...stage.env, ...env }, maxBuffer: 2 ** 26 })
  started.child.stdin?.end()
  return (await started).stdout
}

async function expectConversation(place: string, prompts = ['use the skill', 'write it']): Promise<void> {
  const { sessions, refused } = await readSessions(place)
  expect(refused).toEqual([])
  expect(sessions).toHaveLength(1)
  for (const { events, records, unread, skills, model } of sessions) {
    const said = events.flatMap((event) => (event.type === 'user' ? [event.text] : []))
    expect(said).toEqual(prompts)
    expect(skills.read).toEqual(['demo'])
    expect(model).not.toBeNull()
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(prompts.length)
    expect(records).toBeGreaterThan(3 * prompts.length)
    expect({ unread, isEnough: unread.count <= records * 0.05 }).toMatchObject({ isEnough: true })
  }
}

needs(
  'the claude CLI',
  claudeBinary() !== null,
  'npm run agents',
)('claude', () => {
  test('two turns of one session', async () => {
    await using stage = await openStage()
    await stage.skill('.claude/skills')
    const skill = { name: 'Skill', input: { skill: 'demo' } }
    const shell = { name: 'Bash', input: { command: 'echo hi', description: 'say' } }
    await using server = await practice(scenario({ skill, shell }))
    const env = {
      ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url, IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1' },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }
    const always = ['--permission-mode', 'bypassPermissions', '--model', 'sonnet', '--output-format', 'json']
    const first = await start(stage, claudeBinary(), { args: ['-p', 'use the skill', ...always], env })
    const { session_id } = JSON.parse(first)
    await start(stage, claudeBinary(), { args: ['-p', 'write it', '--resume', session_id, ...always], env })
    await expectConversation(path.join(stage.home, '.claude/projects'))
  })
})

needs(
  'the codex CLI',
  cliBinary('codex') !== null,
  'npm run agents',
)('codex', () => {
  test('two turns of one session', async () => {
    await using stage = await openStage()
    await stage.skill('.agents/skills')
    const call = (cmd: string) => ({ name: 'exec_command', input: { cmd } })
    await using server = await practice(
      scenario({ skill: call('cat .agents/skills/demo/SKILL.md'), shell: call('echo hi') }),
    )
    const address = `{name="w",base_url="${server.url}/v1",env_key="CODEX_API_KEY",wire_api="responses"}`
    const always = ['-c', 'model_provider="w"', '-c', `model_providers.w=${address}`, '-c', 'analytics.enabled=false']
    const exec = ['exec', '--json', '--skip-git-repo-check', '--sandbox', 'danger-full-access', '-m', 'gpt-5.5']
    const env = { CODEX_API_KEY: 'k' }
    const args = [...exec, '--disable', 'plugins', '--disable', 'apps', ...always]
    const first = await start(stage, cliBinary('codex'), { args: [...args, 'use the skill'], env })
    const id = /"thread_id":"([^"]+)"/.exec(first)?.[1] ?? ''
    await start(stage, cliBinary('codex'), { args: [...args, 'resume', id, 'write it'], env })
    await expectConversation(path.join(stage.home, '.codex/sessions'))
  })
})

needs(
  'the opencode CLI',
  cliBinary('opencode') !== null,
  'npm run agents',
)('opencode', () => {
  // starts the CLI three times
  test('two turns of one session, exported', { timeout: 240_000 }, async () => {
    await using stage = await openStage()
    await stage.skill('.claude/skills') // for a folder .opencode it would install a plugin
    const skill = { name: 'skill', input: { name: 'demo' } }
    const shell = { name: 'bash', input: { command: 'echo hi', description: 'say' } }
    await using server = await practice(scenario({ skill, shell }))
    const below = (name: string) => path.join(stage.home, name)
    const folders = {
      root: stage.home,
      config: below('config'),
      data: below('data'),
      cache: below('cache'),
      state: below('state'),
    }
    await createOpencodeFolders(folders)
    const model = 'anthropic/claude-sonnet-5-5'
    const provider = { anthropic: { options: { baseURL: `${server.url}/v1` }, models: { 'claude-sonnet-5-5': {} } } }
    const permission = { '*': 'allow', external_directory: 'allow' }
    const settings = {
      model,
      small_model: model,
      enabled_providers: ['anthropic'],
      provider,
      permission,
      share: 'disabled',
    }
    const env = {
      ...{ XDG_CONFIG_HOME: folders.config, XDG_DATA_HOME: folders.data, XDG_CACHE_HOME: folders.cache },
      ...{ XDG_STATE_HOME: folders.state, OPENCODE_CONFIG_CONTENT: JSON.stringify(settings), ANTHROPIC_API_KEY: 'k' },
      ...{
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
    }
    const opencode = cliBinary('opencode')
    const args = ['run', '--format', 'json', '--pure', '--title', 'x']
    const first = await start(stage, opencode, { args: [...args, 'use the skill'], env })
    const id = /"sessionID":"(ses_\w+)"/.exec(first)?.[1] ?? ''
    await start(stage, opencode, { args: ['run', '--format', 'json', '--pure', '--session', id, 'write it'], env })
    const exported = path.join(stage.home, 'session.json')
    await writeFile(exported, await start(stage, opencode, { args: ['export', id], env }))
    await expectConversation(exported)
  })
})

needs(
  'the pi CLI',
  cliBinary('pi') !== null,
  'npm run agents',
)('pi', () => {
  test('two turns of one session', async () => {
    await using stage = await openStage()
    await stage.skill('.agents/skills')
    const skill = { name: 'read', input: { path: '.agents/skills/demo/SKILL.md' } }
    await using server = await practice(scenario({ skill, shell: { name: 'bash', input: { command: 'echo hi' } } }))
    const folder = path.join(stage.home, 'pi')
    await mkdir(folder)
    const models = { providers: { anthropic: { baseUrl: server.url } } }
    await writeFile(path.join(folder, 'models.json'), JSON.stringify(models))
    const env = { ANTHROPIC_API_KEY: 'k', PI_CODING_AGENT_DIR: folder, PI_OFFLINE: '1', PI_TELEMETRY: '0' }
    const always = [
      '-p',
      '--mode',
      'json',
      '--provider',
      'anthropic',
      '--model',
      'claude-sonnet-4-5',
      '--no-extensions',
    ]
    const first = await start(stage, cliBinary('pi'), { args: [...always, 'use the skill'], env })
    const id = /"id":"([^"]+)"/.exec(first)?.[1] ?? ''
    await start(stage, cliBinary('pi'), { args: [...always, '--session', id, 'write it'], env })
    await expectConversation(path.join(folder, 'sessions'))
  })
})

needs(
  'the gemini CLI',
  cliBinary('gemini') !== null,
  'npm run agents',
)('gemini', () => {
  test('one session', { timeout: 120_000 }, async () => {
    await using stage = await openStage()
    await stage.skill('.gemini/skills')
    const skill = { name: 'activate_skill', input: { name: 'demo' } }
    const shell = { name: 'run_shell_command', input: { command: 'echo hi', description: 'say' } }
    await using server = await practice(scenario({ skill, shell }))
    await mkdir(path.join(stage.home, '.gemini'))
    const settings = { security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } } }
    await writeFile(path.join(stage.home, '.gemini/settings.json'), JSON.stringify(settings))
    const env = {
      ...{ GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: server.url, GEMINI_CLI_HOME: stage.home },
      ...{ GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_NO_RELAUNCH: 'true' },
    }
    const always = ['--output-format', 'stream-json', '--approval-mode', 'yolo', '-m', 'gemini-2.5-pro']
    const args = ['-p', 'use the skill', ...always, '--session-id', '11111111-2222-4333-8444-555555555555']
    await start(stage, cliBinary('gemini'), { args, env })
    await expectConversation(path.join(stage.home, '.gemini/tmp'), ['use the skill']) // it does not resume its own session
  })
})

needs(
  'the copilot CLI',
  cliBinary('copilot') !== null,
  'npm run agents',
)('copilot', () => {
  test('two turns of one session', { timeout: 120_000 }, async () => {
    await using stage = await openStage()
    await stage.skill('.github/skills')
    const skill = { name: 'skill', input: { skill: 'demo' } }
    const shell = { name: 'bash', input: { command: 'echo hi', description: 'say' } }
    await using server = await practice(scenario({ skill, shell }))
    const credentials = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url }
    const task = stage.task({ credentials, sessionId: '11111111-2222-4333-8444-555555555555' })
    const env = copilotEnvironment(task, { provider: 'anthropic', id: 'claude-sonnet-4.5' })
    const args = copilotArguments(task)
    await start(stage, cliBinary('copilot'), { args: ['-p', 'use the skill', ...args], env })
    await start(stage, cliBinary('copilot'), { args: ['-p', 'write it', ...args], env })
    await expectConversation(path.join(stage.home, '.copilot-run'))
  })
})
