/** Nothing is paid for that cannot count: what would refuse a start refuses it before the first call, and --dry-run says the same with the same exit code. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../src/features/practice/server.ts'
import { fresh, makeSkill } from '../e2e/program.ts'
import { runMain } from './run_main.ts'

const fine = { id: 7, prompt: 'Tidy up', checks: [{ type: 'contains', value: 'TIDY' }] }
const judged = { id: 8, prompt: 'Tidy up', expectations: ['It is tidy'] }
const scenario = "rules: [{ name: says, text: 'TIDY' }]"

interface World {
  url: string
  calls: () => number
  run: (args: readonly string[], env?: Record<string, string>) => ReturnType<typeof runMain>
}

async function withServer(work: (world: World) => Promise<void>): Promise<void> {
  await using server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  const { url } = server
  const cwd = fresh()
  const env = { ANTHROPIC_API_KEY: 'practice', ANTHROPIC_BASE_URL: url }
  await work({
    url,
    calls: () => server.requests.filter(({ path: place }) => place.endsWith('/messages')).length,
    run: (args, more = env) => runMain(args, { cwd, env: more }),
  })
}

/** The lines that say why, without the colours and places that differ from start to start. */
const said = ({ stderr }: { stderr: string }) => stderr.slice(stderr.indexOf('error:'))

/** Refuses both ways with the same words, and no model is asked. */
async function refusedAlike(
  args: readonly string[],
  how: { code: number; message: RegExp; env?: Record<string, string> },
) {
  await withServer(async ({ run, calls, url }) => {
    const env = how.env && { ...how.env, ANTHROPIC_BASE_URL: how.env.ANTHROPIC_BASE_URL ?? url }
    const [dry, real] = [await run([...args, '--dry-run'], env), await run(args, env)]
    expect(said(real)).toMatch(how.message)
    expect([real.code, dry.code]).toEqual([how.code, how.code])
    expect(said(dry).startsWith(said(real))).toBe(true)
    expect(calls()).toBe(0)
  })
}

const onHaiku = ['--engine', 'anthropic:claude-haiku-4-5', '--runs', '1']
const bench = (evals: readonly object[], ...flags: string[]) => [
  ...['bench', makeSkill(evals), ...onHaiku, '--workspace', path.join(fresh(), 'ws')],
  ...flags,
]

describe('a suite of which a run could not count', () => {
  // same_rules.system.test.ts has every error of `check`
  test.each<[string, object, RegExp]>([
    ['no prompt', { id: 1, expectations: ['e'] }, /\$\.evals\[0\]\.prompt: case 1 .*: no prompt \[prompt-empty\]/],
    ['an input file outside', { ...fine, id: 1, files: ['../x'] }, /input-escapes/],
    ['a dead check', { ...fine, id: 1, checks: [{ type: 'file_modified', path: 'a' }] }, /check-cannot-pass/],
  ])('%s', async (_, one, message) => {
    await refusedAlike(bench([one, fine]), { code: 2, message })
  })
  test('a whole suite without criteria can not be continued either', async () => {
    const args = bench([{ id: 1, prompt: 'p' }], '--allow-invalid')
    await refusedAlike(args, { code: 2, message: /no criteria \[criteria-missing\]/ })
  })
  test('a case that is not selected stops nothing', async () => {
    await withServer(async ({ run }) => {
      const end = await run(bench([{ id: 1, prompt: 'p' }, fine], '--case', '7'))
      expect(end.code, end.stderr).toBe(0)
    })
  })
  test('a suite in which all is well is not refused', async () => {
    await withServer(async ({ run, calls }) => {
      const args = bench([fine])
      expect((await run([...args, '--dry-run'])).code).toBe(0)
      expect((await run(args)).code).toBe(0)
      expect(calls()).toBe(2)
    })
  })
})

describe('--allow-invalid', () => {
  test('runs the other cases, says which was left out, and ends with 3', async () => {
    await withServer(async ({ run, calls }) => {
      const args = bench([{ ...fine, id: 1, files: ['evals/gone.csv'] }, fine], '--allow-invalid')
      const end = await run(args)
      expect(end.code, end.stderr).toBe(3)
      expect(end.stdout).toMatch(/INCOMPLETE: 1 of 2 cases was left out \(case 1: .*gone\.csv: no such file/)
      expect(calls()).toBe(2)
    })
  })
  test('runs cases whose ids are taken, under others', async () => {
    await withServer(async ({ run, calls }) => {
      const end = await run(bench([fine, fine], '--allow-invalid'))
      expect(end.code, end.stderr).toBe(0)
      expect(calls()).toBe(4)
    })
  })
})

describe('engine, judge, limits and workspace', () => {
  const on = (engine: string, one: object, ...flags: string[]) => [
    ...['bench', makeSkill([one]), '--engine', engine, '--workspace', path.join(fresh(), 'ws'), ...flags],
  ]
  const nothing = { PATH: '/nowhere' }
  const toolUsed = { ...fine, checks: [{ type: 'tool_used', name: 'Bash' }] }
  test.each<[string, readonly string[], RegExp, Record<string, string>?]>([
    [
      'no key',
      bench([fine]),
      /neither ANTHROPIC_API_KEY nor .* is set/,
      { ANTHROPIC_BASE_URL: 'https://api.anthropic.com' },
    ],
    ['no engine that could be chosen', on('auto', fine), /no engine available/, nothing],
    ['no key for the judge', bench([judged], '--judge', 'openai:gpt-5.4'), /judge openai: OPENAI_API_KEY is not set/],
    ['no judge beside a command', on('command:true', judged), /no engine available/, nothing],
    ['a program that is not there', on('command:./none.sh', fine), /none\.sh/],
    [
      'a budget without a price',
      on('anthropic:claude-of-nobody', fine, '--budget', '2'),
      /--budget: the cost of .* is unk/,
    ],
    ['a check that the engine can not decide', on('command:true', toolUsed), /tool_used: .*\[case-undecidable\]/],
  ])('%s', (_, args, message, env) => refusedAlike(args, { code: 2, message, ...(env && { env }) }))
  test('with a budget the missing judge is the only mistake', async () => {
    const args = on('command:/bin/true', judged, '--budget', '1', '--cost-per-run', '0.1', '--dry-run')
    const end = await runMain(args, { env: nothing })
    expect(end.stderr).toMatch(/^error: judge: no engine available \(.*\nhint: .*--judge engine\[:model\]\n$/)
  })
})

describe('a limit that no run fits in', () => {
  const unpriced = (...flags: string[]) => [
    ...['bench', makeSkill([fine]), '--engine', 'anthropic:claude-of-nobody', '--runs', '1', '--cost-per-run', '0.1'],
    ...['--workspace', path.join(fresh(), 'ws'), ...flags],
  ]
  const reason = 'the next run needs $0.10, and $0.0500 is left'
  test('--dry-run ends as the start would, before and after it, and says what is needed', async () => {
    await withServer(async ({ run, calls }) => {
      const args = unpriced('--budget', '0.05')
      const [dry, real, again] = [
        await run([...args, '--dry-run']),
        await run(args),
        await run([...args, '--dry-run', '--json']),
      ]
      expect([dry.code, real.code, again.code]).toEqual([3, 3, 3])
      expect(said(dry)).toContain(reason)
      expect(real.stdout).toContain(reason)
      expect(JSON.parse(again.stdout)).toMatchObject({ refused: { message: expect.stringContaining(reason) } })
      expect(calls()).toBe(0)
    })
  })
  test('a budget for one run is enough to start, and one that is spent is not', async () => {
    await withServer(async ({ run, calls }) => {
      const args = unpriced('--budget', '0.1')
      const before = await run([...args, '--dry-run'])
      const real = await run(args)
      const after = await run([...args, '--dry-run'])
      expect([before.code, real.code, after.code]).toEqual([0, 3, 3])
      expect(said(after)).toContain('the next run needs $0.10, and $0.00 is left')
      expect(calls()).toBe(1)
    })
  })
})

describe('the lines of README under --budget', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const named = [...readme.matchAll(/--(?:engine|judge) (anthropic:\w+)/g)].map(([, model = '']) => model)
  test.each([...new Set([...named, 'anthropic:haiku', 'anthropic:opus'])])('%s', async (engine) => {
    await withServer(async ({ run, calls }) => {
      const args = ['bench', makeSkill([fine]), '--engine', engine, '--runs', '1', '--budget', '2']
      const both = [...args, '--workspace', path.join(fresh(), 'ws')]
      const [dry, real] = [await run([...both, '--dry-run']), await run(both)]
      expect([dry.code, real.code], `${dry.stderr}${real.stderr}`).toEqual([0, 0])
      expect(calls()).toBe(2)
    })
  })
})

describe('eval', () => {
  const golden = {
    'evals/rubric.md': '---\nweights: { accuracy: 100 }\nthreshold_pass: 4\n---\nScore.\n',
    'evals/judge.md':
      '---\nrecommended_judge: { cross_family: [gpt-5.5], same_family_fallback: [gemini-9] }\n---\n{rubric} {agent_response}\n',
    'evals/golden/happy/one.md':
      '---\ntest_id: one\ncategory: happy\n---\n## Input\nHi\n## Expected behavior\nGood\n## Pass criteria\nok\n',
    'persona/core.md': 'Be good.',
    'model.md': '# Model\n',
  }
  const agentOf = (files: Record<string, string>) => {
    const root = path.join(fresh(), 'neve')
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
      writeFileSync(path.join(root, name), text)
    }
    return root
  }
  const evalArgs = (place: string) => [
    ...['eval', place, '--engine', 'anthropic:claude-haiku-4-5', '--workspace', path.join(fresh(), 'ws')],
  ]
  test.each([
    ['evals/rubric.md', 'threshold_pass', 'treshold_pass', 2],
    ['evals/golden/happy/one.md', 'Pass criteria', 'Pas criteria', 3],
  ])('%s with %s spelt %s pays for no run', async (file, name, slip, code) => {
    const text = Object.entries(golden).find(([one]) => one === file)?.[1] ?? ''
    await withServer(async ({ run, calls }) => {
      const args = evalArgs(agentOf({ ...golden, [file]: text.replace(name, slip) }))
      const [dry, real] = [await run([...args, '--dry-run']), await run(args)]
      expect([dry.code, real.code], `${dry.stderr}${real.stderr}`).toEqual([code, code])
      for (const one of [dry, real]) expect(`${one.stdout}${one.stderr}`).toContain('did you mean "')
      expect(calls()).toBe(0)
    })
  })
  test('a case without criteria is skipped, and not paid for', async () => {
    await withServer(async ({ run, calls }) => {
      const end = await run(evalArgs(makeSkill([{ id: 1, prompt: 'p' }, fine])))
      expect(end.code, end.stderr).toBe(3)
      expect(end.stdout).toMatch(/skip.*\n +no criteria/)
      expect(calls()).toBe(1)
    })
  })
  const packaged = (files: Record<string, string>) =>
    agentOf({
      'package.agent.json': '{"name":"p","version":"1.0.0"}',
      'evals/eval-config.json': '{"version":1,"engine":"claude-code"}',
      ...files,
      'skills/tidy/SKILL.md': readFileSync(path.join(makeSkill([]), 'SKILL.md'), 'utf8'),
    })
  const packageOf = (cases: Record<string, string>) =>
    packaged(
      Object.fromEntries(
        Object.entries(cases).map(([name, fields]) => [
          `evals/cases/${name}.yaml`,
          `name: ${name}\ntarget: skill:tidy\ninput: { prompt: p }\n${fields}\njudge: { criteria: c }\n`,
        ]),
      ),
    )
  test.each<[string, RegExp]>([
    ['expected: { contain: [TIDY] }', /expected\.contain is not read \(did you mean "contains"\?\)/],
    [
      'expected: { shows: [TIDY] }',
      /expected\.shows is not a check: expected one of contains, not-contains, files-created, agent-blocked/,
    ],
  ])('a check of AAM that is none is an error before any case runs: %s', async (fields, message) => {
    const root = packageOf({ a: fields, b: 'expected: { contains: [TIDY] }' })
    await withServer(async ({ run, calls }) => {
      for (const args of [evalArgs(root), [...evalArgs(root), '--dry-run']]) {
        const end = await run(args)
        expect(end.code, end.stderr).toBe(2)
        expect(end.stderr).toMatch(message)
        expect(end.stderr).toMatch(/a\.yaml:4:\d+/)
      }
      expect(calls()).toBe(0)
      expect((await run(evalArgs(packageOf({ b: 'expected: { contains: [TIDY] }' })))).code).not.toBe(2)
      expect(calls()).toBeGreaterThan(0)
    })
  })
  test('another misspelt field of AAM keeps its case from running', async () => {
    const slip = 'name: a\ntarget: skill:tidy\ninput: { prompt: p }\njudge: { criterias: c }\n'
    const root = packaged({ 'evals/cases/a.yaml': slip })
    await withServer(async ({ run, calls }) => {
      const end = await run(evalArgs(root))
      expect(end.code, end.stderr).toBe(3)
      expect(end.stdout).toMatch(/judge\.criteria is missing.*did you mean "criteria"/)
      expect(calls()).toBe(0)
    })
  })
})
