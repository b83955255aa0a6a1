/** test of a package: processes and checks of what they say, each field alone, both dialects of hooks; exit codes in e2e. */
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type TestResult, testResult } from '../../../schemas/test_result.ts'
import { type TestRequest, testPackage } from '../../../src/features/aam/test_package.ts'
import { copyOfExample } from '../../e2e/eval/aam.ts'
import { fresh } from '../../e2e/program.ts'
import { contextAt } from '../../flows/eval/evaluate.ts'
import { userError } from '../../phases/1-plan/folder.ts'

const all: Omit<TestRequest, 'package'> = { skill: null, hooks: false, event: null, case: null }
const tested = async (folder: string, wanted: Partial<TestRequest> = {}, env: Record<string, string> = {}) => {
  const request = { ...all, ...wanted, package: folder }
  return testResult.parse(await testPackage(request, contextAt(undefined, env)))
}
const verdicts = ({ cases }: TestResult) => Object.fromEntries(cases.map((one) => [one.case, one.verdict]))

describe('the example package', () => {
  test('passes all', async () => {
    expect(verdicts(await tested(copyOfExample()))).toEqual({
      '01-sum': 'pass',
      '02-json': 'pass',
      '03-no-column': 'pass',
      '01-blocks-closed': 'pass',
      '02-lets-open': 'pass',
    })
  })
  test.each<[Partial<TestRequest>, string[]]>([
    [{ skill: 'csv-sum' }, ['01-sum', '02-json', '03-no-column']],
    [{ event: 'pre-tool-use' }, ['01-blocks-closed', '02-lets-open']],
    [{ skill: 'csv-sum', hooks: true, case: '01-sum' }, ['01-sum']],
    [{ skill: 'csv-sum', hooks: true }, ['01-sum', '02-json', '03-no-column', '01-blocks-closed', '02-lets-open']],
  ])('%j', async (wanted, stems) => {
    expect((await tested(copyOfExample(), wanted)).cases.map((one) => one.case)).toEqual(stems)
  })
  test.each<[Partial<TestRequest>, RegExp]>([
    [{ skill: 'csv' }, /--skill "csv": no such test.*did you mean "csv-sum"/],
    [{ event: 'stop' }, /--event "stop": no such test/],
    [{ case: 'sums-a-column' }, /the file's name, without .yaml/],
  ])('%j names nothing', async (wanted, message) => {
    const { message: said, fix } = await userError(tested(copyOfExample(), wanted))
    expect(`${said} ${fix}`).toMatch(message)
  })
  test('a folder of tests that was emptied is an error beside the others; nothing left of what was chosen is refused', async () => {
    const folder = copyOfExample()
    rmSync(path.join(folder, 'hooks/tests/cases'), { recursive: true })
    const { summary, cases } = await tested(folder)
    expect(summary).toEqual({ total: 4, passed: 3, failed: 0, errors: 1 })
    expect(cases[0]).toMatchObject({ of: 'hook:', reason: expect.stringContaining('looked for cases/*.yaml') })
    expect((await tested(folder, { hooks: true })).summary).toMatchObject({ total: 1, errors: 1 })
    expect((await tested(folder, { skill: 'csv-sum' })).summary).toMatchObject({ total: 3, errors: 0 })
    rmSync(path.join(folder, 'hooks/tests/test-config.json'))
    expect((await tested(folder)).summary).toMatchObject({ total: 3, errors: 0 })
    const { message, fix } = await userError(tested(folder, { hooks: true }))
    expect(`${message} ${fix}`).toMatch(/hook.*hooks\/tests\/cases/)
  })
  test('tests that the manifest names are told one by one, and not run', async () => {
    const folder = copyOfExample()
    const warned = async (quality: object) => {
      writeFileSync(path.join(folder, 'package.agent.json'), JSON.stringify({ name: 'p', quality }))
      return (await tested(folder, { case: '01-sum' })).warnings.filter((one) => one.includes('quality'))
    }
    expect(await warned({ tests: [{ name: 'unit', command: 'false' }, 'x'] })).toEqual([
      expect.stringContaining('tests: {"name":"unit","command":"false"} is not run'),
      expect.stringContaining('tests: "x" is not run'),
    ])
    expect(await warned({ tests: [] })).toEqual([])
  })
})

const skillCase = 'skills/csv-sum/tests/cases/01-sum.yaml'
const hookCase = 'hooks/tests/cases/01-blocks-closed.yaml'

describe('each field alone turns a verdict', () => {
  test.each([
    ['input.command', skillCase, 'amount\n', 'price\n', 'exit code 1 instead of 0'],
    [
      'input.files',
      skillCase,
      '    - tests/fixtures/small.csv',
      '    - tests/gone.csv',
      'tests/gone.csv: no such file',
    ],
    ['name', skillCase, 'name: sums-a-column\n', '', 'name is missing'],
    ['exit-code', skillCase, 'exit-code: 0', 'exit-code: 3', 'exit code 0 instead of 3'],
    ['stdout-contains', skillCase, "'Total: 14.75'", "'Total: 1.00'", 'stdout does not contain'],
    ['not-contains', skillCase, 'NaN', 'Total', 'stdout holds "Total"'],
    ['stdin', 'skills/csv-sum/tests/cases/02-json.yaml', '2,2', '2,5', '$.total: 6 instead of 3'],
    ['stdout-json', 'skills/csv-sum/tests/cases/02-json.yaml', 'rows: 2', 'rows: 7', '$.rows: 2 instead of 7'],
    [
      'stderr-contains',
      'skills/csv-sum/tests/cases/03-no-column.yaml',
      '- no column price',
      '- all is well',
      'stderr does not contain',
    ],
    ['overrides', hookCase, 'closed/2025.csv', 'open/2025.csv', 'exit code 0 instead of 2'],
    ['event', hookCase, 'event: pre-tool-use', 'event: stop', 'no group 0 of stop'],
    ['hook-index', hookCase, 'hook-index: 0', 'hook-index: 1', 'no group 1 of pre-tool-use'],
    ['a hook’s exit-code', hookCase, 'exit-code: 2', 'exit-code: 0', 'exit code 2 instead of 0'],
  ])('%s', async (_, file, old, text, reason) => {
    const stem = path.basename(file, '.yaml')
    const ran = await tested(
      copyOfExample((replace) => replace(file, old, text)),
      { case: stem },
    )
    const found = ran.cases.find((one) => one.case === stem)
    expect(found?.verdict).not.toBe('pass')
    expect(found?.reason).toContain(reason)
  })
  test('timeout of the config', async () => {
    const folder = copyOfExample((replace) => {
      replace('skills/csv-sum/tests/test-config.json', '"timeout": 30', '"timeout": 0.3')
      replace(skillCase, 'command: node', 'command: sleep 20; node')
    })
    const { cases } = await tested(folder, { case: '01-sum' })
    expect(cases).toMatchObject([{ verdict: 'fail', reason: 'no end within 0.3 s' }])
  })
  test('env of the config; keys of providers are not passed on', async () => {
    const folder = copyOfExample((replace) => {
      replace('skills/csv-sum/tests/test-config.json', '"LC_ALL": "C"', '"MODE": "seen"')
      replace(skillCase, 'node scripts/sum.mjs tests/fixtures/small.csv amount', 'echo "$MODE [$ANTHROPIC_API_KEY]"')
      replace(skillCase, 'Total: 14.75', 'seen []')
    })
    const { cases } = await tested(folder, { case: '01-sum' }, { ANTHROPIC_API_KEY: 'secret' })
    expect(cases).toMatchObject([{ verdict: 'pass' }])
  })
  test.each([
    ['"timeout": 30', '"timeout": 0', 'timeout must be above 0'],
    ['"timeout": 30', '"timeout": "30"', 'timeout must be a number'],
    ['"timeout": 30', '"timeout": 30, "version": 2', 'Map keys must be unique'],
    ['"version": 1', '"version": 2', 'version is 2; 1 is known'],
    ['PACKAGE_ROOT', 'A=B', 'env contains A=B, which is not a variable name'],
    ['"."', '"a\\u0000b"', 'env.PACKAGE_ROOT must be text without a zero byte'],
  ])('a config with %s as %s: no test of it is run, its siblings are', async (old, text, message) => {
    const ran = await tested(copyOfExample((replace) => replace('hooks/tests/test-config.json', old, text)))
    expect(ran.summary).toMatchObject({ passed: 3, errors: 2 })
    const { reason } = ran.cases.find(({ verdict }) => verdict === 'error') ?? {}
    expect(reason).toMatch(/test-config\.json:1:\d+: /)
    expect(reason).toContain(message)
  })
})

describe('dialects', () => {
  test('a hook is told in both; one that knows only the other fails as its fixture is written', async () => {
    const oneSided = copyOfExample((replace) =>
      replace('hooks/scripts/guard.mjs', 'toolInput = {}', 'tool_input: toolInput = {}'),
    )
    const ran = await tested(oneSided, { case: '01-blocks-closed' })
    expect(ran.cases).toMatchObject([
      {
        verdict: 'fail',
        runs: [
          { dialect: 'package', exit_code: 0 },
          { dialect: 'claude-code', exit_code: 2, failures: [] },
        ],
      },
    ])
  })
  test('a hook that knows the package’s words alone passes, with a warning', async () => {
    const [one] = (await tested(copyOfExample(), { case: '01-blocks-closed' })).cases
    expect(one).toMatchObject({ verdict: 'pass', warnings: [expect.stringContaining('claude-code it fails')] })
  })
  test('a matcher that would keep the hook from running is said', async () => {
    const folder = copyOfExample((replace) => replace('hooks/hooks.json', 'Write|Edit', 'Bash'))
    const [one] = (await tested(folder, { case: '01-blocks-closed' })).cases
    expect(one?.warnings).toContainEqual(expect.stringContaining('does not fit Write'))
  })
})

describe('what is malformed', () => {
  test('stops no sibling, and has line and column', async () => {
    const ran = await tested(copyOfExample((replace) => replace(skillCase, 'name: sums-a-column', 'name: [sums')))
    expect(ran.summary).toEqual({ total: 5, passed: 4, failed: 0, errors: 1 })
    expect(ran.cases.find(({ verdict }) => verdict === 'error')?.reason).toMatch(/01-sum\.yaml:\d+:\d+: /)
  })
  test('an unknown field is said', async () => {
    const folder = copyOfExample((replace) => replace(skillCase, 'name: sums', 'retries: 1\nname: sums'))
    const [one] = (await tested(folder, { case: '01-sum' })).cases
    expect(one).toMatchObject({ verdict: 'pass', warnings: [expect.stringContaining('retries is not read')] })
  })
  test('a fixture that a link takes from outside is not there', async () => {
    const folder = copyOfExample()
    const fixture = path.join(folder, 'hooks/tests/fixtures/write.json')
    const outside = path.join(fresh(), 'write.json')
    renameSync(fixture, outside)
    symlinkSync(outside, fixture)
    const { cases } = await tested(folder, { case: '02-lets-open' })
    expect(cases).toMatchObject([{ verdict: 'error', reason: expect.stringContaining('no such file in the package') }])
  })
})
