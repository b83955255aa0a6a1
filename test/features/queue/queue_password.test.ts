/** A queue's password is taken from a file or the environment, never from the command line, which every user of the machine can read. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

function benchOf(
  skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]),
): string[] {
  return ['bench', skill, '--engine', 'command:true', '--shared', fresh(), '--queue-wait', '0']
}

const env = { ANTHROPIC_API_KEY: 'practice' }

test.each([
  ['redis://me:hunter2@h', 'redis://h'],
  ['redis://:hunter2@h', 'redis://h'],
  ['postgres://me:hunter2@h/db', 'postgres://h/db'],
])('--queue %s on the command line is refused, and not repeated', async (address, place) => {
  for (const flags of [['--queue', address], [`--queue=${address}`]]) {
    const end = await runMain([...benchOf(), '--dry-run', ...flags], { cwd: fresh(), env })
    expect(end.code, end.stderr).toBe(2)
    expect(end.stderr).toContain(`--queue ${place}: a password on the command line`)
    expect(end.stderr).toContain('WHETSTONE_QUEUE_PASSWORD')
    expect(end.stderr + end.stdout).not.toContain('hunter2')
  }
})

test('negative control: without a password, and in the configuration file, an address is taken', async () => {
  const refused = 'a password on the command line'
  const plain = await runMain([...benchOf(), '--queue', 'redis://me@h', '--print-config'], { cwd: fresh(), env })
  expect([plain.code, plain.stderr]).toEqual([0, expect.not.stringContaining(refused)])
  const asked = benchOf()
  const cwd = path.dirname(asked[1] ?? '')
  writeFileSync(path.join(cwd, 'whetstone.config.yaml'), 'queue: redis://me:hunter2@127.0.0.1:1\n')
  const configured = await runMain([...asked, '--dry-run', '--trust-config'], { cwd, env })
  expect([configured.code, configured.stderr]).toEqual([3, expect.stringContaining('ECONNREFUSED')])
  expect(configured.stderr).not.toContain(refused)
})
