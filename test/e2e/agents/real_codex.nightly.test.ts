/** bench through the real Codex CLI against the practice model. */
import { expect } from 'vitest'
import { cliBinary } from '../../require.ts'
import { testRealCli } from './real_cli.ts'

const binary = cliBinary('codex')
testRealCli({
  name: 'codex',
  binary,
  engine: 'codex',
  model: 'gpt-5.5',
  scenario: 'codex.yaml',
  env: ({ url }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'practice', WHETSTONE_CODEX: binary ?? '' }),
  expectRecord(record, toolCalls, arm) {
    const isWith = arm === 'with_skill'
    const version = expect.stringMatching(/^0\.\d+\.\d+$/)
    expect(record.engine).toEqual({ name: 'codex', version, model: 'gpt-5.5', provider: 'openai' })
    expect(record.session_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(record.cost).toMatchObject({ source: 'estimated' })
    expect(record.cost.usd).toBeGreaterThan(0)
    expect(toolCalls).toEqual({ exec_command: isWith ? 2 : 1 })
    if (isWith) expect(record).toMatchObject({ skill: { read_at_step: 1 }, steps: 3 })
  },
})
