/** What a suite says of model and time: a flag wins over it, it wins over ours. Runs no agent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BenchRequest } from '../../../src/flows/prepare/prepare_bench.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/practice/server.ts'
import { folderOf, skillText, skillWith, userError } from '../../phases/1-plan/folder.ts'
import { contextAt, planned as plannedEval } from '../eval/evaluate.ts'
import { planHere } from '../queue/here.ts'

let server: PracticeServer
const env: Record<string, string> = { PATH: '/nowhere', ANTHROPIC_API_KEY: 'practice', OPENAI_API_KEY: 'practice' }
beforeAll(async () => {
  server = await startPractice({ scenario: parseScenario('rules: [{ name: any, text: Hi }]\n', 'any.yaml') })
  Object.assign(env, { ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: `${server.url}/v1` })
})
afterAll(async () => await server[Symbol.asyncDispose]())

async function planned(skill: string, wish: Partial<BenchRequest>) {
  return (await planHere({ skill, engine: 'auto', workspace: null, timeoutSeconds: null, ...wish }, env)).plan
}

describe('the model of an EVAL.md', () => {
  const evalMd = (model: string) =>
    folderOf({ 'SKILL.md': skillText, 'EVAL.md': `---\nmodel: "${model}"\n---\n## a\n### Prompt\nx\n### Expect\ny\n` })
  test.each<[string, Partial<BenchRequest>, string]>([
    ['openai:gpt-x', {}, 'openai:gpt-x'],
    ['anthropic:claude-x', {}, 'anthropic:claude-x'],
    ['anthropic:claude-x', { engine: 'openai' }, 'openai:'],
    ['anthropic:claude-x', { engine: 'anthropic' }, 'anthropic:claude-x'],
    ['anthropic:claude-x', { engine: 'openai:gpt-y' }, 'openai:gpt-y'],
    ['openai:gpt-x', { engine: 'anthropic', model: 'claude-y' }, 'anthropic:claude-y'],
  ])('%s with %j: %s', async (model, wish, wanted) => {
    const { options, warnings, runs } = await planned(evalMd(model), wish)
    expect(`${options.engine.name}:${options.engine.model ?? ''}`).toBe(wanted)
    expect(runs.every(({ engine }) => engine.name === options.engine.name)).toBe(true)
    expect(warnings.map(({ message }) => message).join()).not.toContain('the model')
  })
  test.each([{}, { engine: 'auto' }])(
    'that is a program is refused with %j, and --engine is the way out',
    async (wish) => {
      const error = await userError(planned(evalMd('command:sh -c true'), wish))
      expect(error.message).toMatch(/EVAL\.md: model: refusing to run "command:sh -c true"/)
      expect(error.fix).toContain('--engine')
      expect((await planned(evalMd('command:sh -c true'), { engine: 'openai' })).options.engine.name).toBe('openai')
    },
  )
  test.each<[string, object, string]>([
    ['openai:gpt-x', {}, 'openai:gpt-x'],
    ['anthropic:claude-x', {}, 'anthropic:claude-x'],
    ['anthropic:claude-x', { engine: 'anthropic:claude-y' }, 'anthropic:claude-y'],
    ['anthropic:claude-x', { engine: 'anthropic:claude-y', judge: 'openai:gpt-x' }, 'anthropic:claude-y openai:gpt-x'],
  ])('%s with %j runs and judges an eval as %s', async (model, wish, wanted) => {
    const asked = { engine: null, judge: null, ...wish }
    const { plans } = await plannedEval(evalMd(model), asked, contextAt(undefined, env))
    const { engine, judge } = plans[0]?.plan.options ?? {}
    const [first = '', second = first] = wanted.split(' ')
    expect([engine, judge].map((one) => `${one?.name}:${one?.model}`)).toEqual([first, second])
  })
  test('of a provider that is not reached is refused, and --model is the way out', async () => {
    const error = await userError(planned(evalMd('mistral:large'), {}))
    expect(`${error.message} ${error.fix}`).toMatch(/EVAL\.md: the model mistral:large belongs to a provider.*--model/)
  })
})

describe('the timeout of a case', () => {
  const check = { checks: [{ type: 'contains', value: 'x' }] }
  const cases = [
    { id: 1, prompt: 'a', timeout: 7, ...check },
    { id: 2, prompt: 'b', ...check },
  ]
  test.each<[number | null, number[]]>([
    [null, [7, 300]],
    [55, [55, 55]],
  ])('--timeout %j: %j', async (timeoutSeconds, wanted) => {
    const { runs } = await planned(skillWith(cases), { timeoutSeconds, engine: 'command:true' })
    const ofCase = (id: number) => runs.filter((run) => run.eval_id === id).map((run) => run.timeout_seconds)
    expect([...new Set(ofCase(1)), ...new Set(ofCase(2))]).toEqual(wanted)
  })
})
