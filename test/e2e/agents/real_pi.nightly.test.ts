/** bench through the real pi CLI against the practice model. */
import { expect } from 'vitest'
import { cliBinary } from '../../require.ts'
import { testRealCli } from './real_cli.ts'

const binary = cliBinary('pi')
testRealCli({
  name: 'pi',
  binary,
  engine: 'pi',
  model: 'anthropic/claude-practice-1',
  scenario: 'pi.yaml',
  env: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_PI: binary ?? '' }),
  expectRecord(record, toolCalls, arm) {
    const version = expect.stringMatching(/^\d+\.\d+\.\d+$/)
    expect(record.engine).toEqual({ name: 'pi', version, model: 'claude-practice-1', provider: 'anthropic' })
    expect(record.session_id).toMatch(/^[\w-]{30,}$/)
    expect(record.cost).toBeNull()
    expect(toolCalls).toMatchObject({ bash: 1 })
    if (arm === 'with_skill') expect(record).toMatchObject({ skill: { read_at_step: 1 }, steps: 3 })
  },
})
