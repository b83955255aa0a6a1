/** bench through the real Claude Code CLI against the practice model. */
import { expect } from 'vitest'
import { claudeBinary } from '../../require.ts'
import { testRealCli } from './real_cli.ts'

const binary = claudeBinary()
testRealCli({
  name: 'claude',
  binary,
  engine: 'claude-code',
  model: 'claude-practice-1',
  scenario: 'claude.yaml',
  env: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_CLAUDE: binary ?? '' }),
  expectRecord(record, toolCalls) {
    const version = expect.stringMatching(/^2\./)
    expect(record.engine).toMatchObject({ name: 'claude-code', version, model: 'claude-practice-1' })
    expect(record.session_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(record.cost).toMatchObject({ source: 'agent' })
    expect(toolCalls).toMatchObject({ Bash: 1 })
  },
})
