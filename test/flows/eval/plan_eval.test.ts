/** What eval plans: what a suite says wins over our defaults, flags over both; each field of eval-config.json reaches the runs; cases are chosen by target, category, test and name. Starts nothing. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Plan } from '../../../schemas/plan.ts'
import { planEval } from '../../../src/flows/eval/eval.ts'
import type { EvalRequest } from '../../../src/flows/eval/eval_request.ts'
import { copyOfExample } from '../../e2e/eval/aam.ts'
import { folderOf, skillText, userError } from '../../phases/1-plan/folder.ts'

const defaults: Omit<EvalRequest, 'path'> = {
  ...{ format: null, cases: [], target: null, category: null, test: null },
  ...{ engine: null, model: null, judge: null, baseUrl: null },
  ...{ concurrency: 1, timeoutSeconds: null, maxTurns: null, retries: 0, workspace: null, passEnv: [] },
  ...{ keep: false, cache: true, fresh: false, isolate: false },
  pace: { idleMs: 60_000 },
}

async function planned(place: string, wanted: Partial<EvalRequest> = {}): Promise<{ plan: Plan; choices: string[] }> {
  const { signal } = new AbortController()
  const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'practice', OPENAI_API_KEY: 'practice' }
  const context = { emit: () => {}, env, drain: signal, signal, now: () => new Date() }
  const { plans, broken } = await planEval({ ...defaults, ...wanted, path: place }, context)
  const [first] = plans
  if (first === undefined) throw broken[0]?.error ?? new Error('no plan')
  return first
}

const sdk = { engine: 'anthropic:practice-1' }
const config = (more: object) =>
  copyOfExample((replace) => {
    const old = '"engine": "claude-code",\n  "timeout": 120,'
    replace('evals/eval-config.json', old, `${old} ${JSON.stringify(more).slice(1, -1)},`)
  })

describe('timeouts', () => {
  const trees: Record<string, () => string> = {
    aam: () => copyOfExample((replace) => replace('evals/eval-config.json', '"timeout": 120,', '')),
    'eval.md': () => folderOf({ 'SKILL.md': skillText, 'EVAL.md': '## a\n### Prompt\nHi\n### Expect\nHi.\n' }),
    'evals.json': () =>
      folderOf({ 'SKILL.md': skillText, 'evals/evals.json': '[{"prompt":"p","expectations":["e"]}]' }),
    'aam that says 7': () => copyOfExample((replace) => replace('evals/eval-config.json', '120', '7')),
  }
  test.each([
    ['aam', 120],
    ['eval.md', 30],
    ['evals.json', 300],
    ['aam that says 7', 7],
  ])('%s: %i s; a flag wins', async (name, seconds) => {
    const place = trees[name]?.() ?? ''
    const timeouts = async (wanted: Partial<EvalRequest>) => {
      const { plan } = await planned(place, { ...sdk, ...wanted })
      return [...new Set([plan.options.timeout_seconds, ...plan.runs.map((run) => run.timeout_seconds)])]
    }
    expect(await timeouts({})).toEqual([seconds])
    expect(await timeouts({ timeoutSeconds: 55 })).toEqual([55])
  })
})

describe('engine and judge of an AAM package', () => {
  const chosen = async (folder: string, wanted: Partial<EvalRequest>) => {
    const { engine, judge } = (await planned(folder, wanted)).plan.options
    return [engine, judge].map((one) => [one?.name, one?.model].filter(Boolean).join(':'))
  }
  test('as the config says; flags win over both', async () => {
    const folder = config({ judge: 'claude-opus' })
    expect(await chosen(folder, {})).toEqual(['claude-code', 'anthropic:claude-opus-5-5'])
    expect(await chosen(folder, { judge: 'gpt-5.4' })).toEqual(['claude-code', 'openai:gpt-5.4'])
    expect(await chosen(folder, { engine: 'codex' })).toEqual(['codex', 'anthropic:claude-opus-5-5'])
    expect(await chosen(folder, { model: 'haiku' })).toEqual(['claude-code:haiku', 'anthropic:claude-opus-5-5'])
  })
  test.each(['command:sh -c "exit 1"', ' command: sh', 'haiku,command:sh', 'command'])(
    'the judge %j is a program, and refused; --judge names it all the same',
    async (judge) => {
      const error = await userError(planned(config({ judge }), {}))
      expect(error.message).toMatch(/eval-config\.json: judge: refusing to run /)
      expect(error.fix).toContain('--judge')
      const asked = await planned(config({ judge }), { judge: 'command:sh' })
      expect(asked.plan.options.judge).toEqual({ name: 'command', model: null, command: 'sh' })
    },
  )
  test.each(['claude-opus', 'haiku', 'gpt-5.4', 'claude-opus-5-5'])(
    '--judge %s is the same judge as in the config, on every engine',
    async (judge) => {
      for (const engine of ['claude-code', 'anthropic']) {
        const flags = { engine, model: engine === 'anthropic' ? 'practice-1' : null }
        expect(await chosen(copyOfExample(), { ...flags, judge })).toEqual(await chosen(config({ judge }), flags))
      }
    },
  )
  test('without a judge it is engine and model of the runs', async () => {
    expect(await chosen(copyOfExample(), { model: 'haiku' })).toEqual(['claude-code:haiku', 'claude-code:haiku'])
    expect(await chosen(copyOfExample(), sdk)).toEqual(['anthropic:practice-1', 'anthropic:practice-1'])
  })
})

test('what eval-config.json says of surroundings is in each run', async () => {
  const sandbox = { mode: 'auto', network: 'open', readable: [] } as const
  const runs = async (folder: string) => (await planned(folder, { ...sdk, sandbox })).plan.runs
  const usual = await runs(copyOfExample())
  const open = await runs(copyOfExample((replace) => replace('evals/eval-config.json', 'false', 'true')))
  const narrow = await runs(copyOfExample((replace) => replace('evals/eval-config.json', '"closed/", ', '')))
  const mode = await runs(copyOfExample((replace) => replace('evals/eval-config.json', '"true"', '"yes"')))
  expect(usual.map((run) => run.sandbox?.network)).toEqual(Array(4).fill('none'))
  expect(open.map((run) => run.sandbox?.network)).toEqual(Array(4).fill('open'))
  expect(narrow.map((run) => run.sandbox?.only_writable)).toEqual(Array(4).fill(['open', 'output']))
  expect(mode.map((run) => run.environment?.env)).toEqual(Array(4).fill({ EVAL_MODE: 'yes' }))
  const keys = [usual, open, narrow, mode].map(([first]) => first?.key)
  expect(new Set(keys).size).toBe(4) // none is taken for another
})

test('an open network is refused without the flag', async () => {
  const folder = copyOfExample((replace) => replace('evals/eval-config.json', 'false', 'true'))
  const { message, fix } = await userError(planned(folder, sdk))
  expect(`${message}; ${fix}`).toMatch(/eval-config\.json: sandbox\.network asks for .*; add --network open/)
})

describe('choosing', () => {
  const names = async (wanted: Partial<EvalRequest>, place = copyOfExample()) =>
    (await planned(place, { ...sdk, ...wanted })).plan.runs.map((run) => run.eval_name)
  const every = ['audit', 'closed-book', 'open-book', 'sum-of-april']
  test.each<[Partial<EvalRequest>, string[]]>([
    [{}, every],
    [{ target: 'skill:csv-sum' }, ['sum-of-april']],
    [{ target: 'hook:pre-tool-use' }, ['closed-book', 'open-book']],
    [{ target: 'hook:' }, ['closed-book', 'open-book']],
    [{ target: 'agent:auditor' }, ['audit']],
    [{ test: 'sum-of' }, ['sum-of-april']],
    [{ test: 'book' }, ['closed-book', 'open-book']],
    [{ cases: ['*-book'] }, ['closed-book', 'open-book']],
    [{ cases: ['*-book'], target: 'hook:', test: 'open' }, ['open-book']],
  ])('%j', async (wanted, expected) => expect(await names(wanted)).toEqual(expected))
  test.each<[Partial<EvalRequest>, RegExp]>([
    [{ target: 'skill:csv' }, /--target "skill:csv": no such case.*did you mean "skill:csv-sum"/],
    [{ cases: ['audits'] }, /^the case "audits": no such case did you mean "audit"/],
    [{ test: 'zzz' }, /no such test/],
    [{ category: 'edge' }, /--category "edge": no such case/],
  ])('%j means nothing', async (wanted, message) => {
    const error = await userError(names(wanted))
    expect(`${error.message} ${error.fix}`).toMatch(message)
  })
  test('a category, of golden tests', async () => {
    const golden = (category: string) => `---\ntest_id: ${category}_1\ncategory: ${category}\n---\n## Input\nx\n`
    const place = folderOf({
      'a/persona/IDENTITY.md': 'You are A.',
      'a/evals/rubric.md': '---\nweights: { care: 100 }\n---\nx\n',
      'a/evals/judge.md': '---\nstrict_mode: true\n---\n{rubric} {agent_response}\n',
      'a/evals/golden/happy/1.md': golden('happy'),
      'a/evals/golden/edge/1.md': golden('edge'),
    })
    expect(await names({ category: 'edge', judge: 'gpt-5.4' }, place)).toEqual(['edge_1'])
  })
  test('--format looks for that one alone', async () => {
    const folder = copyOfExample()
    mkdirSync(path.join(folder, 'skills/csv-sum/evals'))
    writeFileSync(
      path.join(folder, 'skills/csv-sum/evals/evals.json'),
      '[{"name":"own","prompt":"p","expectations":["e"]}]',
    )
    expect(await names({ format: 'evals.json' }, folder)).toEqual(['own'])
    expect(await names({ format: 'aam' }, folder)).toEqual(every)
  })
})

test('a case about a block does not run where the engine could not show it: SKIP, nothing is paid for', async () => {
  const place = copyOfExample(() => {})
  const asks = (one: Plan['cases'][number]) => one.checks.some(({ type }) => type === 'agent_blocked')
  const on = async (engine: string) => {
    const { plan } = await planned(place, { engine, judge: 'command:cat' })
    const about = plan.cases.filter(asks).map(({ eval_id: id }) => id)
    return {
      about: about.length,
      run: plan.runs.filter((run) => about.includes(run.eval_id)).length,
      all: plan.runs.length,
    }
  }
  const shown = await on('anthropic:practice-1')
  expect(shown.about).toBeGreaterThan(0)
  expect(shown.run).toBe(shown.about)
  expect(await on('command:cat')).toEqual({ about: shown.about, run: 0, all: shown.all - shown.about })
})
