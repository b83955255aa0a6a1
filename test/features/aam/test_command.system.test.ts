/** whetstone test: exit codes, the choice of tests, and the printed lines. test/features/aam/test_package.system.test.ts has each field of the documents. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { testResult } from '../../../schemas/test_result.ts'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { runMain } from '../../cli/run_main.ts'
import { copyOfExample } from '../../e2e/eval/aam.ts'
import { fresh } from '../../e2e/program.ts'
import { needs } from '../../require.ts'

type Replace = Parameters<Parameters<typeof copyOfExample>[0] & {}>[0]

const file = 'skills/csv-sum/tests/cases/01-sum.yaml'

test.each([
  ['all pass', (_: Replace) => {}, 0, '5 of 5 passed'],
  ['one fails', (replace: Replace) => replace(file, '14.75', '1.00'), 1, '4 of 5 passed, 1 failed'],
  ['one can not be run', (replace: Replace) => replace(file, 'name: sums', 'name: [sums'), 3, '1 could not be run'],
] as const)('%s', async (_, change, code, text) => {
  const end = await runMain(['test', copyOfExample(change)])
  expect(end, end.stderr).toMatchObject({ code, stdout: expect.stringContaining(text) })
  expect(end.stdout.includes('The total of a small file')).toBe(code === 1) // what a test is for that did not pass
})

test('flags narrow it; --json is the whole result; names that mean nothing are a usage error', async () => {
  const flags = ['--hooks', '--event', 'pre-tool-use', '--case', '02-lets-open', '--json']
  const { cases } = testResult.parse(JSON.parse((await runMain(['test', copyOfExample(), ...flags])).stdout))
  expect(cases).toMatchObject([{ case: '02-lets-open', of: 'hook:pre-tool-use', verdict: 'pass' }])
  const none = await runMain(['test', path.join(copyOfExample(), 'rules')])
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no test found') })
})

const marking = (mark: string) => copyOfExample((replace) => replace(file, 'command: ', `command: touch ${mark}; `))

test('without a sandbox its commands need a yes', async () => {
  const mark = path.join(fresh(), 'mark')
  const folder = marking(mark)
  const refused = await runMain(['test', folder, '--sandbox=off'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--trust-suite') })
  expect(refused.stderr).toMatch(/test +skill:csv-sum 01-sum +touch/)
  expect(existsSync(mark)).toBe(false)
  const allowed = await runMain(['test', folder, '--sandbox=off', '--trust-suite'])
  expect([allowed.code, existsSync(mark)]).toEqual([0, true])
})

needs(
  'a sandbox',
  (await probeSandbox(process.env.PATH ?? '')).ok,
  'apt-get install bubblewrap',
)('in the sandbox', () => {
  test('they run without a question and leave nothing outside of the package', async () => {
    const mark = path.join(fresh(), 'mark')
    const end = await runMain(['test', marking(mark), '--sandbox=auto'])
    expect(end.stderr).toContain('of the suite, in the sandbox')
    expect(existsSync(mark)).toBe(false)
  })
})
