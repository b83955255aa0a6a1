/** whetstone test: processes and checks of what they say, both dialects of hooks, no model asked. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { testResult } from '../../schemas/test_result.ts'
import { copyOfExample } from './aam.ts'
import { whetstone } from './program.ts'

const tested = async (folder: string, flags: readonly string[] = []) => {
  const end = await whetstone(['test', folder, '--json', ...flags])
  return { end, result: () => testResult.parse(JSON.parse(end.stdout)) }
}
const verdicts = async (ran: Awaited<ReturnType<typeof tested>>) =>
  Object.fromEntries(ran.result().cases.map((one) => [one.case, one.verdict]))

describe('the example package', () => {
  test('passes all', async () => {
    const ran = await tested(copyOfExample())
    expect(ran.end, ran.end.stdout + ran.end.stderr).toMatchObject({ code: 0 })
    expect(await verdicts(ran)).toEqual({
      '01-sum': 'pass',
      '02-json': 'pass',
      '03-no-column': 'pass',
      '01-blocks-closed': 'pass',
      '02-lets-open': 'pass',
    })
  })
  test.each([
    [
      ['--skill', 'csv-sum'],
      ['01-sum', '02-json', '03-no-column'],
    ],
    [['--hooks'], ['01-blocks-closed', '02-lets-open']],
    [
      ['--event', 'pre-tool-use'],
      ['01-blocks-closed', '02-lets-open'],
    ],
    [['--skill', 'csv-sum', '--hooks', '--case', '01-sum'], ['01-sum']],
  ])('%j', async (flags, stems) => {
    const ran = await tested(copyOfExample(), flags)
    expect(ran.result().cases.map((one) => one.case)).toEqual(stems)
  })
  test.each([
    [['--skill', 'csv'], '--skill csv: no such test'],
    [['--event', 'stop'], '--event stop: no such test'],
    [['--case', 'sums-a-column'], "the file's name, without .yaml"],
  ])('%j names nothing', async (flags, message) => {
    expect((await tested(copyOfExample(), flags)).end).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    })
  })
  test('a skill’s folder alone has its tests', async () => {
    expect((await tested(path.join(copyOfExample(), 'skills/csv-sum'))).result().summary).toMatchObject({ passed: 3 })
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
    ['exit-code', skillCase, 'exit-code: 0', 'exit-code: 3', 'exit code 0 instead of 3'],
    ['stdout-contains', skillCase, "'Total: 14.75'", "'Total: 1.00'", 'stdout lacks'],
    ['not-contains', skillCase, 'NaN', 'Total', 'stdout holds \\"Total\\"'],
    ['stdin', 'skills/csv-sum/tests/cases/02-json.yaml', '2,2', '2,5', '$.total: 6 instead of 3'],
    ['stdout-json', 'skills/csv-sum/tests/cases/02-json.yaml', 'rows: 2', 'rows: 7', '$.rows: 2 instead of 7'],
    [
      'stderr-contains',
      'skills/csv-sum/tests/cases/03-no-column.yaml',
      '- no column price',
      '- all is well',
      'stderr lacks',
    ],
    [
      'no exit code is 0',
      'skills/csv-sum/tests/cases/03-no-column.yaml',
      '  exit-code: 1\n',
      '',
      'exit code 1 instead of 0',
    ],
    ['overrides', hookCase, 'closed/2025.csv', 'open/2025.csv', 'exit code 0 instead of 2'],
    ['fixture', hookCase, 'fixtures/write.json', 'fixtures/gone.json', 'no such file'],
    ['event', hookCase, 'event: pre-tool-use', 'event: stop', 'no group 0 of stop'],
    ['hook-index', hookCase, 'hook-index: 0', 'hook-index: 1', 'no group 1 of pre-tool-use'],
    ['a hook’s exit-code', hookCase, 'exit-code: 2', 'exit-code: 0', 'exit code 2 instead of 0'],
  ])('%s', async (_, file, old, text, reason) => {
    const ran = await tested(copyOfExample((replace) => replace(file, old, text)))
    const stem = path.basename(file, '.yaml')
    const found = ran.result().cases.find((one) => one.case === stem)
    expect(found?.verdict).not.toBe('pass')
    expect(JSON.stringify(found?.reason)).toContain(reason.replaceAll('\\"', '\\\\\\"').replaceAll('\\\\\\"', '\\"'))
    expect(ran.end.code).not.toBe(0)
  })
  test('timeout of the config', async () => {
    const folder = copyOfExample((replace) => {
      replace('skills/csv-sum/tests/test-config.json', '"timeout": 30', '"timeout": 0.3')
      replace(skillCase, 'command: node', 'command: sleep 20; node')
    })
    const ran = await tested(folder, ['--case', '01-sum'])
    expect(ran.result().cases).toMatchObject([{ verdict: 'fail', reason: 'no end within 0.3 s' }])
  })
  test('env of the config; keys of providers are not passed on', async () => {
    const folder = copyOfExample((replace) => {
      replace('skills/csv-sum/tests/test-config.json', '"LC_ALL": "C"', '"MODE": "seen"')
      replace(skillCase, 'node scripts/sum.mjs tests/fixtures/small.csv amount', 'echo "$MODE [$ANTHROPIC_API_KEY]"')
      replace(skillCase, 'Total: 14.75', 'seen []')
    })
    const end = await whetstone(['test', folder, '--case', '01-sum'], { env: { ANTHROPIC_API_KEY: 'secret' } })
    expect(end, end.stdout).toMatchObject({ code: 0 })
  })
})

describe('dialects', () => {
  const oneSided = () =>
    copyOfExample((replace) => replace('hooks/scripts/guard.mjs', 'toolInput = {}', 'tool_input: toolInput = {}'))
  test('a hook is told in both; one that knows only the other fails as its fixture is written', async () => {
    const ran = await tested(oneSided(), ['--case', '01-blocks-closed'])
    expect(ran.result().cases).toMatchObject([
      {
        verdict: 'fail',
        runs: [
          { dialect: 'package', exit_code: 0 },
          { dialect: 'claude-code', exit_code: 2, failures: [] },
        ],
      },
    ])
  })
  test('a fixture in Claude Code’s words decides in those', async () => {
    const folder = oneSided()
    const said = { hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: { file_path: 'a', content: 'b' } }
    writeFileSync(path.join(folder, 'hooks/tests/fixtures/write.json'), JSON.stringify(said))
    const file = 'hooks/tests/cases/01-blocks-closed.yaml'
    const text =
      'name: a\nevent: pre-tool-use\ninput:\n  fixture: fixtures/write.json\n  overrides: { tool_input.file_path: closed/x }\nexpected: { exit-code: 2 }\n'
    writeFileSync(path.join(folder, file), text)
    expect((await tested(folder, ['--case', '01-blocks-closed'])).result().cases).toMatchObject([
      {
        verdict: 'pass',
        runs: [
          { dialect: 'claude-code', exit_code: 2 },
          { dialect: 'package', exit_code: 0 },
        ],
      },
    ])
  })
  test('a hook that knows the package’s words alone passes, with a warning', async () => {
    const [one] = (await tested(copyOfExample(), ['--case', '01-blocks-closed'])).result().cases
    expect(one).toMatchObject({ verdict: 'pass', warnings: [expect.stringContaining('claude-code it fails')] })
  })
  test('a matcher that would keep the hook from running is said', async () => {
    const folder = copyOfExample((replace) => replace('hooks/hooks.json', 'Write|Edit', 'Bash'))
    const [one] = (await tested(folder, ['--case', '01-blocks-closed'])).result().cases
    expect(one?.warnings).toContainEqual(expect.stringContaining('does not fit Write'))
  })
})

describe('what is malformed', () => {
  test('stops no sibling, has line and column, and ends with 3', async () => {
    const ran = await tested(copyOfExample((replace) => replace(skillCase, 'name: sums-a-column', 'name: [sums')))
    expect(ran.end.code).toBe(3)
    expect(ran.result().summary).toEqual({ total: 5, passed: 4, failed: 0, errors: 1 })
    expect(ran.result().cases.find(({ verdict }) => verdict === 'error')?.reason).toMatch(/01-sum\.yaml:\d+:\d+: /)
  })
  test('a config of another version is an error of each of its tests', async () => {
    const folder = copyOfExample((replace) => replace('hooks/tests/test-config.json', '"version": 1', '"version": 2'))
    expect((await tested(folder)).result().summary).toMatchObject({ passed: 3, errors: 2 })
  })
  test('an unknown field is said', async () => {
    const folder = copyOfExample((replace) => replace(skillCase, 'name: sums', 'retries: 1\nname: sums'))
    const [one] = (await tested(folder, ['--case', '01-sum'])).result().cases
    expect(one).toMatchObject({ verdict: 'pass', warnings: [expect.stringContaining('retries is not read')] })
  })
  test('a folder without tests', async () => {
    const end = await whetstone(['test', path.join(copyOfExample(), 'rules')])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('no test found') })
  })
})
