/** The address of a provider, instructions of the user above the temporary folder, and engines that are reserved. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const evals = [{ id: 1, prompt: 'say it', checks: [{ type: 'contains', value: 'TIDY' }] }]

describe('--base-url', () => {
  const plan = async (flags: string[]) => {
    const { code, stdout, stderr } = await runMain(['bench', makeSkill(evals), '--dry-run', '--json', ...flags], {
      env: { OPENAI_API_KEY: 'practice' },
    })
    // nothing listens there, which the start would refuse (3): the plan comes first
    const [first = ''] = stdout.split('\n')
    return { code, stderr, plan: code === 2 ? null : planSchema.parse(JSON.parse(first)) }
  }
  test('is part of the plan, and another address is another plan', async () => {
    const [one, same, other] = await Promise.all(
      ['http://127.0.0.1:1/v1', 'http://127.0.0.1:1/v1/', 'http://127.0.0.1:2/v1'].map((url) =>
        plan(['--engine', 'openai', '--base-url', url]),
      ),
    )
    expect(one?.plan?.options.engine).toEqual({ name: 'openai', model: null, base_url: 'http://127.0.0.1:1/v1' })
    expect(same?.plan?.runs.map(({ key }) => key)).toEqual(one?.plan?.runs.map(({ key }) => key))
    expect(other?.plan?.runs.map(({ key }) => key)).not.toEqual(one?.plan?.runs.map(({ key }) => key))
  })
  test('with a password in it: refused, exit 2, not shown', async () => {
    const { code, stderr } = await plan(['--engine', 'openai', '--base-url', 'https://u:hunter2@host/v1'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--base-url') })
    expect(stderr).not.toContain('hunter2')
  })
})

describe('instructions above the temporary folder', () => {
  const around = (engine: string, url: string) => {
    const folder = fresh()
    mkdirSync(path.join(folder, 'tmp'))
    writeFileSync(path.join(folder, 'CLAUDE.md'), 'Be brief.')
    const env = { OPENAI_API_KEY: 'practice', OPENAI_BASE_URL: `${url}/v1`, TMPDIR: path.join(folder, 'tmp') }
    return runMain(['bench', makeSkill(evals), '--engine', engine, '--runs', '1'], { env })
  }
  test('are no matter for an engine that does not look there, and stop one that may', async () => {
    await using server = await startPractice({ scenario: parseScenario('rules: [{ name: a, text: TIDY }]', 'x') })
    const ours = await around('openai:practice-1', server.url)
    expect(ours.code, ours.stderr).toBe(0)
    const other = await around('command:true', server.url)
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('CLAUDE.md') })
  })
})

test('a reserved engine: unsupported-engine, how it is started, exit 2', async () => {
  const { code, stdout, stderr } = await runMain(['bench', makeSkill(evals), '--engine', 'cursor', '--json'])
  expect(code).toBe(2)
  expect(stderr).toContain('unsupported-engine')
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'error',
    code: 'unsupported-engine',
    exit_code: 2,
    fix: 'start it as a program: --engine "acp:cursor-agent acp"',
  })
})
