/** What is particular to Claude Code: its arguments and environment. */
import { describe, expect, test } from 'vitest'
import { claudeArguments, claudeEnvironment } from '../../../src/engines/claude_code/argv.ts'
import { claudeReport } from '../../../src/engines/claude_code/report.ts'
import { ClaudeStream } from '../../../src/engines/claude_code/stream.ts'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { roomTask } from '../stage.ts'

const task: EngineTask = {
  ...{ ...roomTask, env: { ...roomTask.env, CLAUDECODE: '1' } },
  credentials: { ANTHROPIC_API_KEY: 'k', WHETSTONE_CLAUDE: '/opt/claude', OPENAI_API_KEY: 'o' },
}

describe('arguments', () => {
  test.each([
    [{}, ['--permission-mode', 'bypassPermissions']],
    [{}, ['--setting-sources', 'project']],
    [{}, ['--session-id', task.sessionId]],
    [{}, ['--strict-mcp-config']],
    [{ model: 'opus' }, ['--model', 'opus']],
    [{ maxTurns: 4 }, ['--max-turns', '4']],
    [{ answerSchema: { type: 'object' } }, ['--json-schema', '{"type":"object"}']],
    [{ tools: 'read_only' }, ['--setting-sources', '', '--tools', 'Read,Glob,Grep']],
    [{ tools: 'none' }, ['--setting-sources', '', '--tools', '']],
  ] as const)('%j: %j', (more, words) => {
    expect(claudeArguments({ ...task, ...more }).join('\n')).toContain(words.join('\n'))
  })
  test.each(['--model', '--max-turns', '--json-schema', '--tools', '-x'])('%s only where it is asked for', (word) =>
    expect(claudeArguments(task)).not.toContain(word),
  )
  test.each(['read_only', 'none'] as const)('%s bypasses no permission', (tools) =>
    expect(claudeArguments({ ...task, tools })).not.toContain('bypassPermissions'),
  )
})

test('the environment holds its own keys, its own config folder, and no mark of another Claude Code', () => {
  expect(claudeEnvironment(task)).toEqual({
    ...{ PATH: '/bin', HOME: '/room/home', ANTHROPIC_API_KEY: 'k', CLAUDE_CONFIG_DIR: '/room/home/.claude' },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1' },
    CLAUDE_CODE_MAX_RETRIES: '4',
  })
})

test('the model is that of the main conversation, whatever a sub-agent or a background call of another model wrote', () => {
  const stream = new ClaudeStream({ skills: [], skillsFolder: '.claude/skills', emit: () => {} })
  const said = (id: string, model: string, parent: string | null) => {
    const message = { id, model, content: [{ type: 'text', text: 'done' }] }
    return { type: 'assistant', message, parent_tool_use_id: parent }
  }
  const counted = { inputTokens: 9, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
  const modelUsage = { sonnet: { ...counted, outputTokens: 5 }, haiku: { ...counted, outputTokens: 900 } }
  const lines = [
    said('a', 'sonnet', null),
    said('b', 'haiku', 'call-1'),
    { type: 'result', subtype: 'success', modelUsage },
  ]
  for (const line of lines) stream.take(JSON.stringify(line))
  expect(claudeReport(stream, { exitCode: 0, signal: null }).model).toBe('sonnet')
})
