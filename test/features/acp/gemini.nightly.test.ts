/** Real agents over ACP, against the practice server: Gemini CLI and Qwen Code, by their documented command lines. */
import { expect, test, vi } from 'vitest'
import { findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { findContender } from '../../engines/contenders.ts'
import { bodyCanary, ofType, openStage, perform, practice } from '../../engines/stage.ts'

vi.setConfig({ testTimeout: 240_000 })

const { cli, suite } = findContender('gemini')
const call = { name: 'run_shell_command', input: { command: 'printf hello > a.txt' } }
const rules = [
  {
    name: 'read',
    when: { turn: 1, tool: '^activate_skill$' },
    answer: { tool_calls: [{ name: 'activate_skill', input: { name: 'demo' } }] },
  },
  { name: 'write', when: { turn: { max: 2 } }, answer: { tool_calls: [call] } },
  { name: 'end', answer: { text: 'all done' } },
]

suite('acp:gemini --acp', () => {
  test('works with the skill, reports tokens and session, and leaves no process', async () => {
    await using server = await practice(JSON.stringify({ rules }))
    await using stage = await openStage()
    const acp = findEngine('acp')
    const env = { ...stage.task({}).env, GOOGLE_GEMINI_BASE_URL: server.url, GEMINI_CLI_TRUST_WORKSPACE: 'true' }
    const { outcome, events } = await perform(
      acp,
      stage.task({
        ...{ command: `${cli} --acp --model {model}`, model: 'gemini-2.5-pro', prompt: 'use the skill' },
        ...{ credentials: { GEMINI_API_KEY: 'practice-key' }, env, skills: await stage.skill(acp.skillsFolder) },
      }),
    )
    expect(outcome, JSON.stringify(outcome)).toMatchObject({
      status: 'completed',
      report: { finalResponse: 'all done', stopReason: 'end_turn' },
    })
    expect(outcome.report.usage?.input_tokens).toBeGreaterThan(0)
    expect(outcome.report.sessionId).toMatch(/^[\w-]{10,}$/)
    expect(ofType(events, 'tool_result').length).toBeGreaterThan(0)
    expect(JSON.stringify(server.requests)).toContain(bodyCanary)
    await vi.waitFor(async () => expect(await findMarkedProcesses(stage.mark)).toEqual([]), { timeout: 60_000 })
  })
})

const qwen = findContender('qwen')
qwen.suite('acp:qwen --acp --auth-type openai', () => {
  test('opens a session with its key alone, and answers', async () => {
    await using server = await practice(JSON.stringify({ rules: [{ name: 'end', answer: { text: 'all done' } }] }))
    await using stage = await openStage()
    const command = `${qwen.cli} --acp --auth-type openai --model {model}`
    const credentials = { OPENAI_API_KEY: 'practice-key', OPENAI_BASE_URL: `${server.url}/v1` }
    const task = stage.task({ command, credentials, model: 'gpt-5.4-mini', prompt: 'say it' })
    const { outcome } = await perform(findEngine('acp'), task)
    expect(outcome, JSON.stringify(outcome)).toMatchObject({
      status: 'completed',
      report: { finalResponse: 'all done' },
    })
  })
})
