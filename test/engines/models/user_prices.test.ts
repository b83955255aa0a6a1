/** --prices: what a file may say, which of its prices applies to a run, and that no other cost changes. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { UserPrices } from '../../../schemas/prices.ts'
import type { Cost } from '../../../schemas/usage.ts'
import { applyUserPrices, userCost, withUserPrices } from '../../../src/engines/models/user_prices.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { readUserPrices } from '../../../src/flows/limits/read_prices.ts'
import { fresh } from '../../e2e/program.ts'

const usage = { input_tokens: 1_000_000, output_tokens: 100_000, cache_read_tokens: 2_000_000, cache_write_tokens: 0 }

function write(text: string): string {
  const file = path.join(fresh(), 'prices.yaml')
  writeFileSync(file, text)
  return file
}

const of = (table: UserPrices['table']): UserPrices => ({ file: 'prices.yaml', table })

describe('the file', () => {
  test('YAML and JSON; a short name of the API is also its id', async () => {
    const price = { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 }
    const yaml = await readUserPrices(
      write('anthropic:haiku: { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 }\n'),
    )
    const table = { 'anthropic:haiku': price, 'anthropic:claude-haiku-4-5': price }
    expect(yaml).toEqual({ file: 'prices.yaml', table })
    const json = await readUserPrices(write('{ "openai:llama3.3:70b": { "input": 0, "output": 0 } }'))
    expect(json.table).toEqual({ 'openai:llama3.3:70b': { input: 0, output: 0 } })
  })

  test.each([
    ['openai:a: { input: 1 }', ':1:1: openai:a output: expected a number'],
    ['openai:a: { input: 1, output: -1 }', ':1:23: openai:a output: '],
    ['\nopenai:a: { input: 1, output: 1, cached: 1 }', ':2:34: openai:a: Unrecognized key'],
    ['llama: { input: 1, output: 1 }', ':1:1: llama: expected provider:model'],
    ['openia:a: { input: 1, output: 1 }', ':1:1: openia:a: unknown provider'],
    ['{}', ':1:1: no prices'],
    ['openai:a: { input: 1, output: 1', 'not valid YAML'],
  ])('%j is refused at its place', async (text, message) => {
    const file = write(text)
    await expect(readUserPrices(file)).rejects.toThrow(message)
    await expect(readUserPrices(file)).rejects.toThrow(`--prices: ${file}:`)
  })

  test('a file that is missing is named', async () => {
    await expect(readUserPrices('/nowhere/prices.yaml')).rejects.toThrow('/nowhere/prices.yaml')
  })
})

describe('the cost of a report', () => {
  const none: { cost: Cost | null } = { cost: null }
  const report = { usage, model: 'claude-haiku-5-5-20260909', provider: 'anthropic', ...none }
  const cost = (table: UserPrices['table'], more: object = {}, asked: string | null = 'haiku') =>
    applyUserPrices({ ...report, ...more }, { engine: 'claude-code', asked }, of(table)).cost
  const two = { input: 2, output: 10 }

  test('by kind of token; cached tokens cost as input unless the file says otherwise', () => {
    expect(userCost(usage, { ...two, cache_read: 0.5, cache_write: 9 }, of({}))).toMatchObject({ usd: 2 + 1 + 1 })
    expect(userCost(usage, two, of({})).usd).toBe(2 + 1 + 4)
  })

  test.each([
    'anthropic:claude-haiku-5-5-20260909',
    'anthropic:claude-haiku-5-5',
    'claude-code:claude-haiku-5-5',
    'claude-code:haiku',
  ])('%s applies', (key) => {
    expect(cost({ [key]: two })).toEqual({ usd: 7, source: 'prices', prices: 'prices.yaml' })
  })

  test.each(['openai:claude-haiku-5-5', 'anthropic:claude-haiku-5', 'codex:haiku'])('%s does not', (key) => {
    expect(cost({ [key]: two })).toBeNull()
  })

  test('it replaces what the agent reports; the model that answered counts before the name asked for', () => {
    const own = { cost: { usd: 99, source: 'agent' as const } }
    expect(cost({ 'anthropic:claude-haiku-5-5': two, 'claude-code:haiku': { input: 0, output: 0 } }, own)?.usd).toBe(7)
    expect(cost({ 'anthropic:other': two }, own)).toEqual(own.cost)
  })

  test('0 is a known cost; without tokens nothing is known', () => {
    expect(cost({ 'claude-code:haiku': { input: 0, output: 0 } })).toMatchObject({ usd: 0 })
    expect(cost({ 'claude-code:haiku': two }, { usage: null })).toBeNull()
  })
})

describe('an engine with prices', () => {
  const prices = of({ 'openai:llama3': { input: 1, output: 1 }, 'command:x': { input: 1, output: 1 } })

  test('says that it reports the cost of a model in the file, and of no other', async () => {
    const engine = withUserPrices(findEngine('openai'), prices)
    expect(await engine.reports?.('llama3')).toMatchObject({ cost: true, tokens: true })
    expect(await engine.reports?.('llama4')).toMatchObject({ cost: false })
    expect(await findEngine('openai').reports?.('llama3')).toMatchObject({ cost: false })
  })

  test('an engine without tokens has no cost by any file', async () => {
    expect(await withUserPrices(findEngine('command'), prices).reports?.('x')).toMatchObject({ cost: false })
  })
})
