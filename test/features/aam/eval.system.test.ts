/** AAM packages from the file to the verdict: the example passes, what is broken in it fails, is skipped or is refused, and its sandbox holds. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { copyOfExample, evaluated } from '../../e2e/eval/aam.ts'
import { fresh } from '../../e2e/program.ts'
import { needs } from '../../require.ts'

const sdk = ['--engine', 'anthropic:practice-1', '--sandbox', 'off']
const verdicts = ({ result }: Awaited<ReturnType<typeof evaluated>>) =>
  Object.fromEntries(result().cases.map(({ eval_name, verdict }) => [eval_name, verdict]))

describe('the example package on the SDK engine', () => {
  test('passes, hook blocked and not blocked', async () => {
    const ran = await evaluated(copyOfExample(), sdk)
    expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 })
    expect(verdicts(ran)).toEqual({
      audit: 'pass',
      'closed-book': 'pass',
      'open-book': 'pass',
      'sum-of-april': 'pass',
    })
    const blocked = ran.result().cases.find((one) => one.eval_name === 'closed-book')
    expect(blocked?.checks.find(({ type }) => type === 'agent_blocked')?.evidence).toContain('is a closed book')
    expect(ran.log).toContain('Books that are closed stay as they are')
    expect(ran.log).toContain('Say totals with two decimals')
    expect(ran.log).toContain('Style: terse')
  })
  test('negative control: a hook that lets all through fails its case, and no judge is asked of it', async () => {
    const folder = copyOfExample((replace) => replace('hooks/scripts/guard.mjs', 'process.exit(2)', ''))
    const ran = await evaluated(folder, [...sdk, 'closed-book'])
    expect(ran.end.code).toBe(1)
    expect(ran.result().cases).toMatchObject([{ verdict: 'fail', judge: null }])
    expect(ran.asked.filter((rule) => rule?.startsWith('judge'))).toEqual([])
  })
  test('unsupported-engine; --engine names another', async () => {
    const folder = copyOfExample((replace) => replace('evals/eval-config.json', '"claude-code"', '"cursor"'))
    const refused = await evaluated(folder, ['--json'])
    expect(refused.end.code).toBe(2)
    expect(JSON.parse(refused.end.stdout)).toMatchObject({ code: 'unsupported-engine' })
    const dry = await evaluated(folder, [...sdk, '--dry-run'])
    expect([dry.end.code, dry.asked.filter((rule) => rule !== null)]).toEqual([0, []]) // no model is asked
  })
})

test('past the time limit a case fails if the model had answered, and is skipped if it never did', async () => {
  const folder = copyOfExample((replace) => {
    replace('evals/eval-config.json', '"timeout": 120,', '"timeout": 5,')
    replace('practice.yaml', 'command: "awk', 'command: "sleep 60; awk')
    const looks = "tool_calls: { name: Read, input: { file_path: 'fixtures/april.csv' } }"
    replace('practice.yaml', looks, 'fault: { hang: true }')
  })
  const ran = await evaluated(folder, [...sdk, '--retries', '0', 'sum-of-april', 'audit'])
  expect(ran.end, ran.end.stderr).toMatchObject({ code: 3 })
  expect(verdicts(ran)).toEqual({ 'sum-of-april': 'fail', audit: 'skip' })
})

/** Tries to write in two places, and says what came of it and of EVAL_MODE. */
const agent = `
import { existsSync, writeFileSync } from 'node:fs'
const said = ['open/a.txt', 'elsewhere.txt'].map((file) => {
  try {
    writeFileSync(file, 'x')
    return file + ' written'
  } catch (error) {
    return file + ' refused'
  }
})
console.log([...said, 'mode ' + process.env.EVAL_MODE, 'in ' + process.cwd()].join(', '))
`

async function runAgent(flags: readonly string[], folder = copyOfExample()) {
  const program = path.join(fresh(), 'agent.mjs')
  writeFileSync(program, agent)
  const engine = ['--engine', `command:${process.execPath} ${program}`, '--judge', 'command:echo no']
  return await evaluated(folder, ['audit', ...engine, ...flags])
}

const said = ({ result, end }: Awaited<ReturnType<typeof runAgent>>) =>
  `${result().cases[0]?.output_snippet}\n${end.stderr}`

needs(
  'a sandbox',
  (await probeSandbox(process.env.PATH ?? '')).ok,
  'apt-get install bubblewrap',
)('writable-paths', () => {
  test('are the only folders that the agent may change', async () => {
    const text = said(await runAgent(['--sandbox', 'required']))
    expect(text).toContain('open/a.txt written, elsewhere.txt refused, mode true')
  })
  test('negative control: without them all of the workspace is', async () => {
    const folder = copyOfExample((replace) => {
      replace('evals/eval-config.json', ', "writable-paths": ["open/", "closed/", "output/"]', '')
    })
    expect(said(await runAgent(['--sandbox', 'required'], folder))).toContain('elsewhere.txt written')
  })
})
test('without a sandbox it is said that nothing keeps the agent to them; the temporary folder is gone at the end', async () => {
  const text = said(await runAgent(['--sandbox', 'off']))
  expect(text).toContain('elsewhere.txt written')
  expect(text).toContain('without a sandbox nothing enforces this')
  const [, place = ''] = /in (\/\S+)/.exec(text) ?? []
  expect(place).toMatch(/\/work$/)
  expect(existsSync(path.dirname(place))).toBe(false)
})
