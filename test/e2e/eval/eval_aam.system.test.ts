/** AAM packages from the file to the verdict: the example passes, what is broken in it fails, is skipped or is refused, and its sandbox holds. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { needs } from '../../require.ts'
import { fresh } from '../program.ts'
import { copyOfExample, evaluated } from './aam.ts'

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
  test('a hook by Claude Code’s names of fields blocks as well', async () => {
    const folder = copyOfExample((replace) => {
      replace('hooks/scripts/guard.mjs', 'toolInput = {}', 'tool_input: toolInput = {}')
    })
    expect(verdicts(await evaluated(folder, [...sdk, 'closed-book']))).toEqual({ 'closed-book': 'pass' })
  })
  test('variables of the config are in tools and hooks, and only those that it names', async () => {
    const folder = copyOfExample((replace) => {
      replace('hooks/scripts/guard.mjs', 'is a closed book', `is closed, mode \${process.env.EVAL_MODE}`)
      replace('practice.yaml', 'command: "awk', 'command: "echo mode $EVAL_MODE; awk')
    })
    const said = async () => {
      const ran = await evaluated(folder, [...sdk, 'closed-book', 'sum-of-april'])
      const { checks = [] } = ran.result().cases.find((one) => one.eval_name === 'closed-book') ?? {}
      const hook = checks.find(({ type }) => type === 'agent_blocked')?.evidence
      const shell = ran.read('sum-of-april', 'transcript.md')
      return [hook, shell].map((text) => /mode (\w+)/.exec(text ?? '')?.[1])
    }
    const read = () => readFileSync(path.join(folder, 'evals/eval-config.json'), 'utf8')
    expect(await said()).toEqual(['true', 'true'])
    writeFileSync(path.join(folder, 'evals/eval-config.json'), read().replace('EVAL_MODE', 'OTHER_MODE'))
    expect(await said()).toEqual(['undefined', undefined])
  })
  test('a judge that says no fails the case with its reason', async () => {
    const folder = copyOfExample((replace) => replace('evals/cases/audit.yaml', '`AUDIT`.', '`SOMETHING ELSE`.'))
    const ran = await evaluated(folder, [...sdk, 'audit'])
    expect(ran.result().cases).toMatchObject([
      { verdict: 'fail', judge: { result: 'fail', reason: expect.stringContaining('SOMETHING ELSE') } },
    ])
  })
  test('what the engine can not express skips the case; the others run', async () => {
    const folder = copyOfExample((replace) => replace('hooks/hooks.json', '"pre-tool-use"', '"pre-compact"'))
    writeFileSync(
      path.join(folder, 'evals/cases/closed-book.yaml'),
      'name: closed-book\ntarget: hook:pre-compact\ninput: { prompt: p }\nexpected: { agent-blocked: true }\njudge: { criteria: c }\n',
    )
    rmSync(path.join(folder, 'evals/cases/open-book.yaml'))
    const ran = await evaluated(folder, [...sdk])
    expect(ran.end.code).toBe(3)
    expect(verdicts(ran)).toEqual({ audit: 'pass', 'closed-book': 'skip', 'sum-of-april': 'pass' })
    expect(ran.end.stdout).toContain('does not support hooks of PreCompact')
  })
  test('a malformed case is skipped with line and column, its siblings run', async () => {
    const folder = copyOfExample((replace) => replace('evals/cases/audit.yaml', 'name: audit', 'name: [audit'))
    const ran = await evaluated(folder, sdk)
    expect(ran.end.code).toBe(3)
    expect(verdicts(ran)).toMatchObject({ 'closed-book': 'pass', audit: 'skip' })
    expect(ran.end.stdout).toMatch(/audit\.yaml:\d+:\d+: /)
  })
  test.each(['cursor', 'hal'])('unsupported-engine: %s; --engine names another', async (engine) => {
    const folder = copyOfExample((replace) => replace('evals/eval-config.json', '"claude-code"', `"${engine}"`))
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

async function said(...asked: Parameters<typeof runAgent>) {
  const ran = await runAgent(...asked)
  return `${ran.result().cases[0]?.output_snippet}\n${ran.end.stderr}`
}

needs(
  'a sandbox',
  (await probeSandbox(process.env.PATH ?? '')).ok,
  'apt-get install bubblewrap',
)('writable-paths', () => {
  test('are the only folders that the agent may change', async () => {
    expect(await said(['--sandbox', 'required'])).toContain('open/a.txt written, elsewhere.txt refused, mode true')
  })
  test('negative control: without them all of the workspace is', async () => {
    const folder = copyOfExample((replace) => {
      replace('evals/eval-config.json', ', "writable-paths": ["open/", "closed/", "output/"]', '')
    })
    expect(await said(['--sandbox', 'required'], folder)).toContain('elsewhere.txt written')
  })
})
test('without a sandbox it is said that nothing keeps the agent to them', async () => {
  const text = await said(['--sandbox', 'off'])
  expect(text).toContain('elsewhere.txt written')
  expect(text).toContain('without a sandbox nothing enforces this')
})
test('the temporary folder is gone at the end; --keep keeps the working folder with the results', async () => {
  for (const keep of [[], ['--keep']]) {
    const ran = await runAgent(['--sandbox', 'off', ...keep])
    const [, place = ''] = /in (\/\S+)/.exec(ran.result().cases[0]?.output_snippet ?? '') ?? []
    expect(place).toMatch(/\/work$/)
    expect(existsSync(path.dirname(place))).toBe(false)
    const kept = () => ran.read('audit', 'work/elsewhere.txt')
    if (keep.length > 0) expect(kept()).toBe('x')
    else expect(kept).toThrow('ENOENT')
  }
})
