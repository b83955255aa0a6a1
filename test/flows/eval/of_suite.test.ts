/** What a suite says of model, judge and time, planned in this process for eval and bench: `provider:model` alone is enough, flags win, nobody is asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { PracticeServer } from '../../../src/features/practice/server.ts'
import type { BenchRequest } from '../../../src/flows/prepare/prepare_bench.ts'
import { keysFor, practice } from '../../engines/stage.ts'
import { planHere } from '../../features/queue/here.ts'
import { folderOf, skillText, skillWith, userError } from '../../phases/1-plan/folder.ts'
import { contextAt, evaluated, planned } from './evaluate.ts'

const auto = { engine: null, judge: null }
const models = ['claude-sonnet-4-6', 'claude-haiku-4-5', 'any-1', 'gpt-5', "'eu.x.claude-v1:0'"]
let server: PracticeServer
let keys: Record<string, string>
beforeAll(async () => {
  server = await practice(`models: [${models.join(', ')}]\nrules: [{ name: a, answer: { text: a } }]`)
  keys = { ...keysFor(server), PATH: '/nowhere' }
})
afterAll(async () => await server.close())

const evalMd = (front: string) => `---\n${front}\n---\n## a\n### Prompt\nx\n### Expect\ny\n`

async function engines(front: string, wish = {}): Promise<(EngineChoice | null | undefined)[]> {
  const folder = folderOf({ 'SKILL.md': skillText, 'EVAL.md': evalMd(front) })
  const { plans, broken } = await planned(folder, { ...auto, ...wish }, contextAt(undefined, keys))
  if (broken[0] !== undefined) throw broken[0].error
  return [plans[0]?.plan.options.engine, plans[0]?.plan.options.judge]
}

describe('the model of an EVAL.md', () => {
  test.each([
    ['model: "anthropic:claude-sonnet-4-6"', 'anthropic', 'claude-sonnet-4-6'],
    ['model: "openai:any-1"', 'openai', 'any-1'],
    ['model: claude-haiku-4-5', 'anthropic', 'claude-haiku-4-5'],
  ])('%s is asked through %s, and judges too, as in the reference', async (front, name, model) => {
    expect(await engines(front)).toEqual([
      { name, model },
      { name, model },
    ])
  })
  test('flags win, over the engine and over the model', async () => {
    const front = 'model: "anthropic:claude-sonnet-4-6"'
    expect((await engines(front, { engine: 'openai:gpt-5' }))[0]).toEqual({ name: 'openai', model: 'gpt-5' })
    expect((await engines(front, { model: 'gpt-5' }))[0]).toEqual({ name: 'openai', model: 'gpt-5' })
    expect((await engines(front, { judge: 'openai:gpt-5' }))[1]).toEqual({ name: 'openai', model: 'gpt-5' })
  })
  test.each([
    ['anthropic:claude-sonnet-4-6', 'anthropic', 'claude-sonnet-4-6'],
    ['claude-haiku-4-5', 'anthropic', 'claude-haiku-4-5'],
    ['any-1', 'openai', 'any-1'],
    ['openai:gpt-5', 'auto', 'gpt-5'],
    ['claude-haiku-4-5', 'openai', null],
  ])('%s with --engine %s: the model is %s, and one that is not asked for is told', async (own, engine, model) => {
    const folder = folderOf({ 'SKILL.md': skillText, 'EVAL.md': evalMd(`model: "${own}"`) })
    const { plans } = await planned(folder, { ...auto, engine }, contextAt(undefined, keys))
    expect(plans[0]?.plan.options.engine.model).toBe(model)
    const told = `the suite's model ${own} is not used: the engine ${engine} does not serve it; choose another with --model`
    expect(plans[0]?.choices.includes(told)).toBe(model === null)
  })
  test('of a provider that is not reached is refused with the file, unless a flag names another', async () => {
    await expect(engines('model: "ollama:llama3"')).rejects.toThrow(
      /EVAL\.md: the model ollama:llama3 belongs to a provider/,
    )
    expect((await engines('model: "ollama:llama3"', { model: 'gpt-5' }))[0]?.model).toBe('gpt-5')
    expect((await engines('model: "eu.x.claude-v1:0"'))[0]?.model).toBe('eu.x.claude-v1:0')
  })
})

describe('a program that a suite names', () => {
  const program = 'command:sh -c "env > /tmp/keys"'
  const written = `'${program}'`
  const trees: Record<string, [Record<string, string>, RegExp]> = {
    'the model of an EVAL.md': [{ 'EVAL.md': evalMd(`model: ${written}`) }, /EVAL\.md: model/],
    'the model of an EVAL.md, in a list': [{ 'EVAL.md': evalMd('model: gpt-5,command:x') }, /EVAL\.md: model/],
    'the model of an AGENT.md': [
      { 'EVAL.md': evalMd('name: a'), 'AGENT.md': `---\nname: a\nmodel: ${written}\n---\nBe.\n` },
      /AGENT\.md: model/,
    ],
    'the model of a doc comment': [
      { 'x.ts': `/**\n * @eval\n${evalMd(`model: ${written}`).replace(/^/gm, ' * ')}\n */\n` },
      /x\.ts: model/,
    ],
    'the model of a golden agent': [
      {
        'evals/rubric.md': '---\nweights: { care: 100 }\n---\nBe exact.\n',
        'evals/judge.md': '---\nrecommended_judge: { cross_family: [gpt-5] }\n---\n{agent_response}\n',
        'evals/golden/happy/001.md': '---\ntest_id: x\ncategory: happy\n---\n## Input\nHi\n',
        'model.md': `## Default model\n\n**\`${program}\`**\n`,
      },
      /model\.md: model/,
    ],
  }
  test.each(Object.entries(trees))('%s is refused; a flag is the way on', async (_, [tree, where]) => {
    const folder = folderOf(tree)
    const [place] = Object.keys(tree).filter((name) => name === 'x.ts')
    const at = place === undefined ? folder : `${folder}/${place}`
    const attempt = async (wish: object) => {
      const { plans, broken } = await planned(at, { ...auto, ...wish }, contextAt(undefined, keys))
      if (broken[0] !== undefined) throw broken[0].error
      return plans[0]?.plan.options.engine.name
    }
    const error = await userError(attempt({}))
    expect(error.message).toMatch(where)
    expect(error.message).toContain('refusing to run ')
    expect(error.fix).toContain('--engine')
    expect((await userError(attempt({ engine: 'auto' }))).message).toMatch(where)
    expect(await attempt({ engine: 'openai' })).toBe('openai')
    expect(await attempt({ engine: program })).toBe('command')
  })
  test('a model that is only called like it is none', async () => {
    expect((await engines('model: command-r-plus'))[0]?.model).toBe('command-r-plus')
  })
})

describe('the judge of golden tests', () => {
  const ledger = (recommended: string) =>
    folderOf({
      'a/evals/rubric.md': '---\nweights: { care: 100 }\n---\nBe exact.\n',
      'a/evals/judge.md': `---\nrecommended_judge: ${recommended}\n---\n{agent_response}\n`,
      'a/evals/golden/happy/001.md': '---\ntest_id: x\ncategory: happy\n---\n## Input\nHi\n',
      'a/model.md': '## Default model\n\n**`claude-sonnet-4-6`**\n',
    })
  const judged = async (recommended: string) => {
    const { plans, broken } = await planned(ledger(recommended), auto, contextAt(undefined, keys))
    if (broken[0] !== undefined) throw broken[0].error
    const { name, model } = plans[0]?.plan.options.judge ?? {}
    return `${name}:${model}`
  }
  test.each([
    ['of another family', '{ cross_family: [gpt-5], same_family_fallback: [claude-haiku-4-5] }', 'openai:gpt-5'],
    [
      'nobody of the list is reached from here: as without a list',
      '{ cross_family: [moonshot/kimi] }',
      'anthropic:claude-sonnet-4-6',
    ],
  ])('%s', async (_, recommended, wanted) => expect(await judged(recommended)).toBe(wanted))
  test('none that can be asked is a refusal before any test, with the reason of each', async () => {
    const list = '{ cross_family: [gpt-5], same_family_fallback: [claude-haiku-4-5] }'
    const run = evaluated(ledger(list), { judge: null }, contextAt(undefined, { PATH: '/nowhere' }))
    await expect(run).rejects.toThrow(/no judge available: .*OPENAI_API_KEY.*ANTHROPIC_API_KEY/)
  })
})

describe('bench', () => {
  const benched = async (skill: string, wish: Partial<BenchRequest>) =>
    (await planHere({ skill, engine: 'auto', workspace: null, timeoutSeconds: null, ...wish }, keys)).plan
  const withModel = (model: string) => folderOf({ 'SKILL.md': skillText, 'EVAL.md': evalMd(`model: "${model}"`) })
  test.each<[string, Partial<BenchRequest>, string]>([
    ['openai:gpt-5', {}, 'openai:gpt-5'],
    ['anthropic:claude-haiku-4-5', { engine: 'openai' }, 'openai:'],
    ['anthropic:claude-haiku-4-5', { engine: 'anthropic' }, 'anthropic:claude-haiku-4-5'],
    ['anthropic:claude-haiku-4-5', { engine: 'openai:any-1' }, 'openai:any-1'],
    ['openai:gpt-5', { engine: 'anthropic', model: 'claude-sonnet-4-6' }, 'anthropic:claude-sonnet-4-6'],
  ])('takes the model of an EVAL.md unless a flag wins: %s with %j: %s', async (model, wish, wanted) => {
    const { options, warnings, runs } = await benched(withModel(model), wish)
    expect(`${options.engine.name}:${options.engine.model ?? ''}`).toBe(wanted)
    expect(runs.every(({ engine }) => engine.name === options.engine.name)).toBe(true)
    expect(warnings.map(({ message }) => message).join()).not.toContain('the model')
  })
  test.each([{}, { engine: 'auto' }])('refuses a program as the model with %j', async (wish) => {
    const error = await userError(benched(withModel('command:sh -c true'), wish))
    expect(error.message).toMatch(/EVAL\.md: model: refusing to run "command:sh -c true"/)
    expect(error.fix).toContain('--engine')
    expect((await benched(withModel('command:sh -c true'), { engine: 'openai' })).options.engine.name).toBe('openai')
  })
  test('refuses a model of a provider that is not reached, and --model is the way out', async () => {
    const error = await userError(benched(withModel('mistral:large'), {}))
    expect(`${error.message} ${error.fix}`).toMatch(/EVAL\.md: the model mistral:large belongs to a provider.*--model/)
  })
  test.each<[number | null, number[]]>([
    [null, [7, 300]],
    [55, [55, 55]],
  ])('gives a case its own time unless a flag wins: --timeout %j: %j', async (timeoutSeconds, wanted) => {
    const checks = [{ type: 'contains', value: 'x' }]
    const cases = [
      { id: 1, prompt: 'a', timeout: 7, checks },
      { id: 2, prompt: 'b', checks },
    ]
    const { runs } = await benched(skillWith(cases), { timeoutSeconds, engine: 'command:true' })
    const ofCase = (id: number) => runs.filter((run) => run.eval_id === id).map((run) => run.timeout_seconds)
    expect([...new Set(ofCase(1)), ...new Set(ofCase(2))]).toEqual(wanted)
  })
})
