/** What a suite says of model and time in a bench: a flag wins over it, it wins over ours. Starts nothing. */
import { describe, expect, test } from 'vitest'
import type { BenchRequest } from '../../../src/flows/prepare/prepare_bench.ts'
import { folderOf, skillText, skillWith, userError } from '../../phases/1-plan/folder.ts'
import { planHere } from '../queue/here.ts'

const env = { PATH: '/nowhere', ANTHROPIC_API_KEY: 'practice', OPENAI_API_KEY: 'practice' }

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
    expect(`${options.engine.name}:${options.engine.model ?? ''}`).toMatch(wanted)
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
