/** bench through the real GitHub Copilot CLI against the practice model. */
import path from 'node:path'
import { expect } from 'vitest'
import { cliBinary, cliFolder } from '../../require.ts'
import { testRealCli } from './real_cli.ts'

const binary = cliBinary('copilot')
testRealCli({
  name: 'copilot',
  binary,
  engine: 'copilot',
  model: 'anthropic/claude-practice-1',
  scenario: 'copilot.yaml',
  env: ({ url }) => ({
    ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_COPILOT: binary ?? '' },
    COPILOT_CACHE_HOME: path.join(cliFolder, '../home/.cache/copilot'),
  }),
  expectRecord(record, toolCalls, arm) {
    const version = expect.stringMatching(/^1\.\d+\.\d+$/)
    expect(record.engine).toEqual({ name: 'copilot', version, model: 'claude-practice-1', provider: 'anthropic' })
    expect(record.session_id).toMatch(/^[\da-f-]{36}$/)
    expect(record.cost).toBeNull()
    expect(toolCalls).toMatchObject({ bash: 1 })
    if (arm === 'with_skill') expect(record).toMatchObject({ skill: { read_at_step: 1 }, steps: 3 })
  },
})
