/** The command line and the keys of Atomic Agents' own runner. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { withOtherKeys } from '../../../src/cli/commands/eval/command.ts'
import { loadScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { copyOf } from '../../e2e/practised.ts'
import { fresh } from '../../e2e/program.ts'

const judge = ['--engine', 'anthropic:practice-1', '--judge', 'anthropic:practice-1']

async function evaluate(args: readonly string[], env: Record<string, string>) {
  const { folder } = copyOf('example-golden')
  await using server = await startPractice({ scenario: await loadScenario(path.join(folder, 'practice.yaml')) })
  const own = args.map((one) => (one === 'ROOT' ? folder : one))
  const end = await runMain(['eval', ...own, ...judge, '--summary-only', '--workspace', path.join(fresh(), 'ws')], {
    env: { ANTHROPIC_BASE_URL: server.url, ...env },
  })
  return { ...end, asked: server.requests.filter(({ path: place }) => place.endsWith('/messages')).length }
}

const key = { ATOMIC_AGENTS_ANTHROPIC_KEY: 'practice' }

test('--agents-root names the folder of the agents', async () => {
  const end = await evaluate(['ledger', '--agents-root', 'ROOT', '--test', '001_rent'], key)
  expect(end, end.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('1/1') })
  const without = await evaluate(['ledger'], key)
  expect(without).toMatchObject({ code: 2, asked: 0 })
})

test('a key under its name there counts, unless the provider’s own variable is set', async () => {
  // a server of this machine needs no key
  const none = await evaluate(['ROOT', '--test', '001_rent'], { ANTHROPIC_BASE_URL: 'https://gateway.invalid' })
  expect(none).toMatchObject({ code: 2, asked: 0, stderr: expect.stringContaining('neither ANTHROPIC_API_KEY nor') })
  const dry = await evaluate(['ROOT', '--test', '001_rent', '--dry-run'], key)
  expect(dry, dry.stderr).toMatchObject({ code: 0, asked: 0 })
  expect(dry.stdout).not.toContain('activation') // no skill is under test
  const both = { ATOMIC_AGENTS_OPENAI_KEY: 'a', OPENAI_API_KEY: 'b', ATOMIC_AGENTS_ANTHROPIC_KEY: 'c' }
  expect(withOtherKeys(both)).toEqual({ ...both, ANTHROPIC_API_KEY: 'c' })
  const openai = { ATOMIC_AGENTS_OPENAI_KEY: 'a' }
  expect(withOtherKeys(openai)).toEqual({ ...openai, OPENAI_API_KEY: 'a' })
})
