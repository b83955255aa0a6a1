/** whetstone test: exit codes, the choice of tests and what is said; each field of the documents is in test/flows/test_package.test.ts. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { testResult } from '../../schemas/test_result.ts'
import { copyOfExample } from './aam.ts'
import { whetstone } from './program.ts'

type Replace = Parameters<Parameters<typeof copyOfExample>[0] & {}>[0]

const file = 'skills/csv-sum/tests/cases/01-sum.yaml'

test.each([
  ['all pass', (_: Replace) => {}, 0, '5 of 5 passed'],
  ['one fails', (replace: Replace) => replace(file, '14.75', '1.00'), 1, '4 of 5 passed, 1 failed'],
  ['one can not be run', (replace: Replace) => replace(file, 'name: sums', 'name: [sums'), 3, '1 could not be run'],
] as const)('%s', async (_, change, code, text) => {
  const end = await whetstone(['test', copyOfExample(change)])
  expect(end, end.stderr).toMatchObject({ code, stdout: expect.stringContaining(text) })
  expect(end.stdout.includes('The total of a small file')).toBe(code === 1) // what a test is for that did not pass
})

test('flags narrow it; --json is the whole result; names that mean nothing are a usage error', async () => {
  const end = await whetstone([
    'test',
    copyOfExample(),
    '--skill',
    'csv-sum',
    '--hooks',
    '--event',
    'pre-tool-use',
    '--case',
    '02-lets-open',
    '--json',
  ])
  const { cases } = testResult.parse(JSON.parse(end.stdout))
  expect(cases).toMatchObject([{ case: '02-lets-open', of: 'hook:pre-tool-use', verdict: 'pass' }])
  const none = await whetstone(['test', path.join(copyOfExample(), 'rules')])
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no test found') })
})
