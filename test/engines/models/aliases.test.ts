/** Short names of models: each has a price, a near miss of one is refused before any run, and ids that nobody lists pass. */
import { describe, expect, test } from 'vitest'
import { isPriced, plainModelId } from '../../../src/engines/models/cost.ts'
import { listModelAliases, resolveEngineChoice, resolveJudgeChoice } from '../../../src/engines/models/resolve_model.ts'
import { findEngine, listEngineNames, takesCommand } from '../../../src/engines/table.ts'

describe('prices', () => {
  const offered = listEngineNames().flatMap((engine) => listModelAliases(engine).map((alias) => ({ engine, alias })))

  test.each(offered)('$engine:$alias has a price, so that a budget can be kept', async ({ engine, alias }) => {
    for (const { name, model } of [
      resolveEngineChoice({ engine: `${engine}:${alias}`, model: null }),
      resolveJudgeChoice(`${engine}:${alias}`),
    ]) {
      expect(await findEngine(name).reports?.(model)).toMatchObject({ cost: true, tokens: true })
    }
  })

  test.each(listEngineNames().filter((name) => !takesCommand(name) && !['codex', 'local'].includes(name)))(
    '%s without a model has a price',
    async (engine) => {
      expect(await findEngine(engine).reports?.(null)).toMatchObject({ cost: true })
    },
  )

  test.each([
    ['anthropic', 'claude-haiku-4-5-20251001'],
    ['anthropic', 'claude-opus-5-5-latest'],
    ['anthropic', 'claude-opus-5-5[1m]'],
    ['anthropic', 'anthropic/claude-opus-5-5'],
    ['anthropic', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ['anthropic', 'claude-haiku-4-5@20251001'],
    ['openai', 'gpt-5.4-2026-09-09'],
  ])('%s: %s costs what its plain id costs', async (provider, model) => {
    expect(await isPriced({ provider, model })).toBe(true)
  })

  test.each([
    ['anthropic', 'claude-haiku-5-5'],
    ['openai', 'llama3:8b'],
  ])('%s: what %s costs is not guessed', async (provider, model) => {
    expect(await isPriced({ provider, model })).toBe(false)
  })

  test.each(['gpt-5.4', 'llama3:8b', 'qwen3-coder', 'claude-opus-5-5', 'o3'])('%s is a plain id', (id) => {
    expect(plainModelId(id)).toBe(id)
  })
})

describe('near misses', () => {
  test.each([
    ['claude-code:haiko', 'haiku'],
    ['claude-code:sonet[1m]', 'sonnet[1m]'],
    ['anthropic:sonet', 'sonnet'],
    ['opencode:hiaku', 'haiku'],
    ['gemini:flsh', 'flash'],
  ])('--engine %s', (engine, meant) => {
    const resolve = () => resolveEngineChoice({ engine, model: null })
    expect(resolve).toThrow(`unknown model "${engine.split(':')[1]}" of ${engine.split(':')[0]}`)
    expect(resolve).toThrow(expect.objectContaining({ fix: expect.stringContaining(`did you mean "${meant}"?`) }))
  })

  test.each(['anthropic:opuss', 'haiko', 'claude-code:sonnt'])('--judge %s', (judge) => {
    expect(() => resolveJudgeChoice(judge)).toThrow('unknown model')
  })

  test('--model on a named engine', () => {
    expect(() => resolveEngineChoice({ engine: 'claude-code', model: 'haiko' })).toThrow('unknown model "haiko"')
  })

  test.each([
    ['claude-code', 'claude-haiku-7', 'claude-haiku-7'],
    ['claude-code', 'best', 'best'],
    ['claude-code', 'Sonnet', 'sonnet'],
    ['claude-code', 'sonnet[1m]', 'sonnet[1m]'],
    ['claude-code', 'vendor/haiko', 'vendor/haiko'],
    ['claude-code', 'anthropic:haiko', 'haiko'],
    ['anthropic', 'anthropic:bonnet', 'bonnet'],
    ['openai', 'haiko', 'haiko'],
    ['pi', 'anthropic/sonet', 'anthropic/sonet'],
    ['gemini', 'models/flsh', 'models/flsh'],
    ['command', 'haiko', 'haiko'],
  ])('%s takes %s', (engine, model, sent) => {
    const line = engine === 'command' ? ':./agent.sh' : ''
    expect(resolveEngineChoice({ engine: `${engine}${line}`, model }).model).toBe(sent)
  })

  test('a judge has the same way to an exact id', () => {
    expect(resolveJudgeChoice('anthropic:anthropic:bonnet').model).toBe('bonnet')
  })
})
