/** What a suite says of model and judge, planned in this process: `provider:model` alone is enough, flags win, nobody is asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { PracticeServer } from '../../../src/practice/server.ts'
import { keysFor, practice } from '../../engines/stage.ts'
import { folderOf, skillText, userError } from '../../phases/1-plan/folder.ts'
import { contextAt, planned } from './evaluate.ts'

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

async function engines(
  front: string,
  wish = {},
  env: Record<string, string> = {},
): Promise<(EngineChoice | null | undefined)[]> {
  const folder = folderOf({ 'SKILL.md': skillText, 'EVAL.md': evalMd(front) })
  const { plans, broken } = await planned(folder, { ...auto, ...wish }, contextAt(undefined, { ...keys, ...env }))
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
  const trees: Record<string, [Record<string, string>, RegExp, string]> = {
    'the model of an EVAL.md': [{ 'EVAL.md': evalMd(`model: ${written}`) }, /EVAL\.md: model/, 'engine'],
    'the model of an EVAL.md, in a list': [
      { 'EVAL.md': evalMd('model: gpt-5,command:x') },
      /EVAL\.md: model/,
      'engine',
    ],
    'the model of an AGENT.md': [
      { 'EVAL.md': evalMd('name: a'), 'AGENT.md': `---\nname: a\nmodel: ${written}\n---\nBe.\n` },
      /AGENT\.md: model/,
      'engine',
    ],
    'the model of a doc comment': [
      { 'x.ts': `/**\n * @eval\n${evalMd(`model: ${written}`).replace(/^/gm, ' * ')}\n */\n` },
      /x\.ts: model/,
      'engine',
    ],
    'the model of a golden agent': [
      {
        'evals/rubric.md': '---\nweights: { care: 100 }\n---\nBe exact.\n',
        'evals/judge.md': '---\nrecommended_judge: { cross_family: [gpt-5] }\n---\nJudge.\n',
        'evals/golden/happy/001.md': '---\ntest_id: x\ncategory: happy\n---\n## Input\nHi\n',
        'model.md': `## Default model\n\n**\`${program}\`**\n`,
      },
      /model\.md: model/,
      'engine',
    ],
  }
  test.each(Object.entries(trees))('%s is refused; a flag is the way on', async (_, [tree, where, flag]) => {
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
    expect(error.fix).toContain(`--${flag}`)
    expect((await userError(attempt({ engine: 'auto' }))).message).toMatch(where)
    expect(await attempt({ engine: 'openai' })).toBe('openai')
    expect(await attempt({ engine: program })).toBe('command')
  })
  test('a model that is only called like it is none', async () => {
    expect((await engines('model: command-r-plus'))[0]?.model).toBe('command-r-plus')
  })
})

describe('the judge of golden tests', () => {
  const judged = async (recommended: string, wish = {}, env: Record<string, string> = {}) => {
    const folder = folderOf({
      'a/evals/rubric.md': '---\nweights: { care: 100 }\n---\nBe exact.\n',
      'a/evals/judge.md': `---\nrecommended_judge: ${recommended}\n---\nJudge.\n`,
      'a/evals/golden/happy/001.md': '---\ntest_id: x\ncategory: happy\n---\n## Input\nHi\n',
      'a/model.md': '## Default model\n\n**`claude-sonnet-4-6`**\n',
    })
    const { plans, broken } = await planned(folder, { ...auto, ...wish }, contextAt(undefined, { ...keys, ...env }))
    if (broken[0] !== undefined) throw broken[0].error
    return plans[0]?.plan.options.judge
  }
  const both = '{ cross_family: [gpt-5], same_family_fallback: [claude-haiku-4-5] }'
  test.each<[string, string, object, Record<string, string>, string]>([
    ['of another family', both, {}, {}, 'openai:gpt-5'],
    ['without its key the fallback', both, {}, { OPENAI_API_KEY: '' }, 'anthropic:claude-haiku-4-5'],
    ['never the own model', '{ cross_family: [claude-sonnet-4-6, gpt-5] }', {}, {}, 'openai:gpt-5'],
    [
      'nobody of the list is reached from here: as without a list',
      '{ cross_family: [moonshot/kimi] }',
      {},
      {},
      'anthropic:claude-sonnet-4-6',
    ],
  ])('%s', async (_, recommended, wish, env, wanted) => {
    const { name, model } = (await judged(recommended, wish, env)) ?? {}
    expect(`${name}:${model}`).toBe(wanted)
  })
  test('none of the list has a key: said, before anything is paid', async () => {
    await expect(judged(both, {}, { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' })).rejects.toThrow(
      /no judge available: .*OPENAI_API_KEY/,
    )
  })
})
