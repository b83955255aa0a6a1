/** bench through the real opencode CLI against the practice model. */
import { expect } from 'vitest'
import { cliBinary, cliFolder } from '../../require.ts'
import { testRealCli } from './real_cli.ts'

const binary = cliBinary('opencode')
testRealCli({
  name: 'opencode',
  binary,
  engine: 'opencode',
  model: 'anthropic/claude-practice-1',
  scenario: 'opencode.yaml',
  env: ({ url }) => ({
    ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_OPENCODE: binary ?? '' },
    PATH: `${process.env.PATH}:${cliFolder}`,
  }),
  expectRecord(record, toolCalls, arm) {
    const version = expect.stringMatching(/^1\.\d+\.\d+$/)
    expect(record.engine).toEqual({ name: 'opencode', version, model: 'claude-practice-1', provider: 'anthropic' })
    expect(record.session_id).toMatch(/^ses_/)
    expect(record.cost).toBeNull()
    expect(toolCalls).toMatchObject({ bash: 1 })
    if (arm === 'with_skill') expect(record).toMatchObject({ skill: { read_at_step: 1 }, steps: 3 })
  },
})
