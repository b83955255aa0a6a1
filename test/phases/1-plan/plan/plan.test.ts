/** suite × configurations × runs → the plan, and the keys of its runs. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PlanOptions, plan as planSchema, runSpec } from '../../../../schemas/plan.ts'
import type { Skill, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../../src/base/errors/error.ts'
import { canonicalJson, sha256 } from '../../../../src/base/json/json.ts'
import { computePlanId, computeRunKey } from '../../../../src/phases/1-plan/keys/plan_keys.ts'
import { assignVersions, makePlan, type PlanRequest } from '../../../../src/phases/1-plan/plan/plan.ts'
import { loadSkills } from '../../../../src/phases/1-plan/skill/frontmatter.ts'
import { makeSkill } from '../../../e2e/program.ts'
import { suiteCase } from '../../../fixtures/suite_case.ts'

const skill: Skill = { name: 'sums', description: 'Adds up.', path: '/skills/sums', sha256: 'new' }
const older: Skill = { ...skill, path: '/old/sums', sha256: 'old' }
const options: PlanOptions = {
  engine: { name: 'anthropic', model: 'm' },
  judge: { name: 'anthropic', model: 'j' },
  runs: 2,
  timeout_seconds: 300,
  max_turns: null,
  activation: 'natural',
  on_timeout: 'fail',
  retries: 2,
}
const suiteOf = (cases: SuiteCase[]): Suite => ({
  format: 'evals.json',
  path: '/skills/sums/evals/evals.json',
  skill_name: 'sums',
  cases,
  warnings: [{ file: 'f', at: '$', message: 'loader' }],
})
const one = suiteCase({ eval_id: 1, eval_name: 'March Total!', expectations: [{ text: 'e' }] })
const two = suiteCase({ eval_id: 2, eval_name: 'april' })
const planOf = (changes: Partial<PlanRequest> = {}) =>
  makePlan({
    suite: suiteOf([one, two]),
    skill,
    baseline: null,
    options,
    createdAt: '2026-01-15T10:30:00Z',
    suiteSha256: 'abc',
    ...changes,
  })

describe('runs', () => {
  test('arms alternate; each case gets its first pair before any gets a second', () => {
    expect(planOf().runs.map((run) => run.run_id)).toEqual(
      'eval-1-march-total/with_skill/run-1 eval-1-march-total/without_skill/run-1 eval-2-april/with_skill/run-1 eval-2-april/without_skill/run-1 eval-1-march-total/with_skill/run-2 eval-1-march-total/without_skill/run-2 eval-2-april/with_skill/run-2 eval-2-april/without_skill/run-2'.split(
        ' ',
      ),
    )
  })
  test('the arms differ in the skill only', () => {
    const [withSkill, without] = planOf().runs
    const { run_id: _a, configuration: _b, skill: a, absent_skill: b, key: _c, ...rest } = runSpec.parse(withSkill)
    expect([a, b]).toEqual([skill, null])
    expect(without).toMatchObject({ ...rest, configuration: 'without_skill', skill: null, absent_skill: 'sums' })
  })
  test('two versions', () => {
    const plan = planOf({ baseline: older })
    expect([plan.candidate_configuration, plan.baseline_configuration]).toEqual(['new_skill', 'old_skill'])
    expect(plan.runs.slice(0, 2).map((run) => [run.configuration, run.skill?.sha256, run.absent_skill])).toEqual([
      ['new_skill', 'new', null],
      ['old_skill', 'old', null],
    ])
  })
  test.each<[string, string]>([
    ['Сложи', 'eval-1-сложи'],
    ['a/../b', 'eval-1-a-b'],
    ['Cafe\u0301', 'eval-1-caf\u00e9'],
    ['???', 'eval-1'],
    ['x'.repeat(80), `eval-1-${'x'.repeat(40)}`],
    ['😀 happy', 'eval-1-happy'],
  ])('the folder of a case called %s is %s', (eval_name, folder) => {
    const { runs } = planOf({ suite: suiteOf([{ ...one, eval_name }]) })
    expect(runs[0]?.run_id).toBe(`${folder}/with_skill/run-1`)
  })
  test('a timeout of the case wins', () => {
    const { runs } = planOf({ suite: suiteOf([{ ...one, timeout_seconds: 9 }, two]) })
    expect(runs.slice(0, 4).map((run) => run.timeout_seconds)).toEqual([9, 9, 300, 300])
  })
  test('instructed: a first line names the skill where the arm has it', () => {
    const { runs } = planOf({ options: { ...options, activation: 'instructed' } })
    expect(runs.slice(0, 2).map((run) => [run.prompt, run.activation])).toEqual([
      ['Use the skill sums for this task.\n\nAdd up the numbers.', 'instructed'],
      ['Add up the numbers.', 'instructed'],
    ])
  })
  test('loaded: the text of SKILL.md comes first where the arm has the skill, and is part of the key', async () => {
    const made = async (body: string) => {
      const folder = makeSkill([], { 'SKILL.md': `---\nname: sums\ndescription: Sums.\n---\n\n${body}\n` })
      const plan = planOf({ options: { ...options, activation: 'loaded' } })
      return (await loadSkills(plan, new Map([[skill.sha256, folder]]))).runs
    }
    const [candidate, other] = await made('Add up.')
    expect(candidate?.prompt).toBe(
      'The skill sums is loaded. Its instructions:\n\n<skill name="sums">\nAdd up.\n</skill>\n\nAdd up the numbers.',
    )
    expect(other?.prompt).toBe('Add up the numbers.')
    expect((await made('Subtract.'))[0]?.key).not.toBe(candidate?.key)
  })
  test('attached files are named at the end of the prompt, the same in both arms and on each engine', () => {
    const attach = ['a.png', 'b.csv'].map((path) => ({ path, image: path === 'a.png' }))
    const suite = suiteOf([{ ...one, attach }, two])
    for (const name of ['anthropic', 'command']) {
      const { runs } = planOf({ suite, options: { ...options, engine: { name, model: null } } })
      const line = 'Add up the numbers.\n\nAttached files: a.png, b.csv'
      expect(runs.slice(0, 3).map((run) => run.prompt)).toEqual([line, line, 'Add up the numbers.'])
      expect(runs.slice(0, 3).map((run) => run.attach)).toEqual([attach, attach, undefined])
    }
  })
  test('with a version for each run, a judge is asked once for each run of a case with expectations', () => {
    const { runs, calls } = assignVersions(planOf(), () => older)
    expect([new Set(runs.map((run) => run.skill?.sha256)).size, calls]).toEqual([1, { agent_runs: 8, judge_calls: 4 }])
  })
  test('instructed with two versions: in both arms', () => {
    const { runs } = planOf({ baseline: older, options: { ...options, activation: 'instructed' } })
    expect(new Set(runs.slice(0, 2).map((run) => run.prompt)).size).toBe(1)
  })
  test('a case that cannot run stays in the plan without runs', () => {
    const plan = planOf({ suite: suiteOf([one, { ...two, cannot_run: 'no file' }]) })
    expect(plan.cases).toHaveLength(2)
    expect(new Set(plan.runs.map((run) => run.eval_id))).toEqual(new Set([1]))
  })
  test('none can run: an error with each reason', () => {
    const suite = suiteOf([
      { ...one, cannot_run: 'no file' },
      { ...two, cannot_run: 'no prompt' },
    ])
    expect(() => planOf({ suite })).toThrow(UserError)
    expect(() => planOf({ suite })).toThrow(/1 March Total!: no file; 2 april: no prompt/)
  })
})

describe('the plan', () => {
  test('fits its schema, and the same input gives the same plan', () => {
    expect(planSchema.parse(planOf())).toEqual(planOf())
  })
  test.each<[string, Partial<PlanRequest>, [number, number]]>([
    ['expectations of one case of two', {}, [8, 4]],
    ['no judge', { options: { ...options, judge: null } }, [8, 0]],
    ['one run', { options: { ...options, runs: 1 } }, [4, 2]],
    ['nothing to judge', { suite: suiteOf([two]) }, [4, 0]],
  ])('calls: %s', (_, changes, calls) => {
    const { agent_runs, judge_calls } = planOf(changes).calls
    expect([agent_runs, judge_calls]).toEqual(calls)
  })
  test('carries the warnings of suite and skills', () => {
    const { warnings } = planOf({ warnings: [{ file: 's', at: 'frontmatter', message: 'skill' }] })
    expect(warnings.map(({ message }) => message)).toEqual(['loader', 'skill'])
  })
  test.each<[string, Partial<PlanRequest>, boolean]>([
    ['another time', { createdAt: '2027-01-01T00:00:00Z' }, true],
    ['other criteria', { suite: suiteOf([{ ...one, expectations: [{ text: 'f' }] }, two]) }, true],
    ['the skill elsewhere', { skill: { ...skill, path: '/elsewhere' } }, true],
    ['another id', { suite: suiteOf([{ ...one, eval_id: 3 }, two]) }, false],
    ['another judge', { options: { ...options, judge: { name: 'anthropic', model: 'k' } } }, false],
    ['more runs', { options: { ...options, runs: 3 } }, false],
    ['the skill changed', { skill: { ...skill, sha256: 'newer' } }, false],
  ])('%s: same plan_id %s', (_, changes, same) => {
    expect(planOf(changes).plan_id === planOf().plan_id).toBe(same)
  })
})

describe('a case of several turns', () => {
  const user = { goal: 'a report', facts: ['it is for Ada'] }
  const haiku = { name: 'anthropic', model: 'haiku' }
  const talks = (changes: Partial<SuiteCase>, more: Partial<PlanOptions> = {}) =>
    planOf({ suite: suiteOf([{ ...one, ...changes }]), options: { ...options, ...more } }).runs

  test('is the same in both configurations', () => {
    const runs = talks({ turns: [{ prompt: 'And now?' }], end_when: { agent_response_matches: 'done' } })
    expect(new Set(runs.map(({ configuration }) => configuration)).size).toBe(2)
    for (const run of runs)
      expect(run).toMatchObject({ turns: [{ prompt: 'And now?' }], end_when: { agent_response_matches: 'done' } })
    expect(runs[0]).not.toHaveProperty('user_engine')
  })
  test('with a user has its model, and all texts by which it is graded as what the user may not tell', () => {
    const graded = {
      expected_output: 'a table',
      checks: [{ type: 'contains' as const, value: '42' }],
      reference: { answer: 'the sum is 42', files: { 'a.md': 'r/a.md' } },
    }
    const [run] = talks({ user, ...graded }, { user: haiku })
    expect(run).toMatchObject({ user, user_engine: haiku })
    expect(run?.answer_key).toEqual(expect.arrayContaining(['a table', '42', 'the sum is 42']))
    expect(talks({ user, ...graded, reference: null })[0]?.answer_key).not.toContain('the sum is 42')
  })
  test('with a statement as condition has the model, but one without has none', () => {
    expect(
      talks({ turns: [{ prompt: 'x', agent_response_meets: 'it asks' }] }, { user: haiku })[0]?.user_engine,
    ).toEqual(haiku)
    expect(talks({ turns: [{ prompt: 'x' }] }, { user: haiku })[0]?.user_engine).toBeUndefined()
  })
})

const input = { path: 'a.csv', source: '/s/a.csv', kind: 'file' as const, sha256: 'f1', bytes: 1 }
const { key: _key, ...spec } = runSpec.parse({
  ...planOf().runs[0],
  files: [input],
  git: { bundle: '/s/x.bundle', sha256: 'b1' },
  setup: 's',
})

describe('the key of a run', () => {
  test('the order of properties says nothing', () => {
    const turned = Object.fromEntries(Object.entries(spec).reverse())
    expect(computeRunKey({ ...spec, ...turned })).toBe(computeRunKey(spec))
    expect(computePlanId([], { ...options })).toBe(computePlanId([], options))
  })
  test.each([0, 1, 3])(
    'the id of a plan of %i runs is the hash of the canonical JSON of its options and runs',
    (count) => {
      const runs = Array.from({ length: count }, (_, at) => ({
        ...spec,
        run_id: `eval-1/with_skill/run-${at}`,
        key: `k${at}`,
      }))
      const text = canonicalJson({ options, runs: runs.map(({ run_id, key }) => ({ run_id, key })) })
      expect(computePlanId(runs, options)).toBe(sha256(text))
    },
  )
  test('keys and plan ids are those of earlier versions, whose runs are found by them', () => {
    expect(computeRunKey(spec)).toBe('53ac29ff982cf60e0b226f909c9983a1f37cb4a3475245a8a4bfa19c65320eb5')
    expect(planOf().plan_id).toBe('d51ba5ed4b7bd30945f880dfa0bbcf77086dcf46c369e91461d47e066f63a83c')
  })
  test('all runs of a plan have keys of their own', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 4 }), (prompts, runs) => {
        const cases = prompts.map((prompt, index) => ({ ...one, eval_id: index, prompt }))
        const plan = planOf({ suite: suiteOf(cases), options: { ...options, runs } })
        expect(new Set(plan.runs.map((run) => run.key)).size).toBe(prompts.length * runs * 2)
        expect(new Set(plan.runs.map((run) => run.run_id)).size).toBe(prompts.length * runs * 2)
      }),
    )
  })
})
