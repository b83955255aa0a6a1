/** --effort and a suite's temperature reach each API in fields of their own, and no request has one unasked; an engine without levels is refused. */
import { describe, expect, test } from 'vitest'
import { anthropic } from '../../src/engines/anthropic/anthropic.ts'
import { withEffort } from '../../src/engines/models/effort.ts'
import { openai } from '../../src/engines/openai/openai.ts'
import { geminiThinking } from '../../src/features/gemini/settings.ts'
import { keysFor, perform, practice, stageOfEachTest } from './stage.ts'

const stage = stageOfEachTest()

const rules = 'rules: [{ name: a, answer: { text: a } }]'
const noResponses = 'faults: [{ status: 404, path: /responses, message: no such path }]'

test.each([
  ['Messages', anthropic, rules],
  ['Responses', openai, rules],
  ['Chat Completions', openai, `${noResponses}\n${rules}`],
])('%s', async (_, engine, scenario) => {
  await using server = await practice(scenario)
  const environment = { folder: stage.cwd, hooks: {}, rules: [], mcpConfig: null, mcpServers: [] }
  for (const more of [{ effort: 'low', environment: { ...environment, temperature: 0.2 } }, { environment }]) {
    const task = stage.task({ credentials: keysFor(server), ...more })
    expect((await perform(engine, task)).outcome.status).toBe('completed')
  }
  const sent = server.requests.slice(-2).map(({ effort, temperature }) => [effort, temperature])
  expect(sent).toEqual([
    ['low', 0.2],
    [undefined, undefined],
  ])
})

test('a level of Gemini CLI is a number of tokens for Gemini 2.5, and a level for later models', () => {
  const thinking = (model: string | null, effort: string) => JSON.stringify(geminiThinking(model, effort))
  expect(thinking('flash', 'low')).toContain('"match":{"model":"gemini-2.5-flash"}')
  expect(thinking('flash', 'low')).toContain('"thinkingConfig":{"thinkingBudget":1024}')
  expect(thinking('gemini-3-pro-preview', 'low')).toContain('"thinkingConfig":{"thinkingLevel":"LOW"}')
  expect(geminiThinking('flash', undefined)).toEqual({})
})

describe('withEffort', () => {
  const choose = (name: string, effort: string | null, model: string | null = null) =>
    withEffort({ name, model }, effort, '--effort')

  test.each([
    ['claude-code', 'xhigh', null],
    ['openai', 'none', null],
    ['opencode', 'minimal', 'openai/gpt-5.5'],
    ['copilot', 'minimal', 'openai/gpt-5.5'],
    ['gemini', 'low', null],
    ['gemini', 'minimal', 'gemini-3-flash-preview'],
    ['qwen', 'none', null],
    ['auto', 'high', null], // no engine was found, which is already reported
  ])('%s takes %s', (name, effort, model) => {
    expect(choose(name, effort, model)).toEqual({ name, model, effort })
  })

  test.each([
    ['claude-code', 'ultra', null, 'expected one of low, medium, high, xhigh, max'],
    ['anthropic', 'none', null, 'expected one of low, medium, high, xhigh, max'],
    ['opencode', 'none', 'anthropic/claude-opus-5-5', 'expected one of low, medium, high, xhigh, max'],
    ['gemini', 'minimal', 'flash', 'expected one of low, medium, high'],
    ['pi', 'max', null, 'expected one of off, minimal, low, medium, high, xhigh'],
  ])('%s has no level %s', (name, effort, model, hint) => {
    expect(() => choose(name, effort, model)).toThrow(`has no level "${effort}"`)
    expect(() => choose(name, effort, model)).toThrow(expect.objectContaining({ fix: expect.stringContaining(hint) }))
  })

  test('an engine without levels says which have some', () => {
    expect(() => choose('command', 'high')).toThrow('--effort: not supported by the engine command')
    expect(() => choose('command', 'high')).toThrow(
      expect.objectContaining({ fix: expect.stringContaining('claude-code') }),
    )
  })

  test('acp has none', () => {
    const choice = { name: 'acp', model: null, command: 'goose acp' }
    expect(() => withEffort(choice, 'high', '--effort')).toThrow('--effort: not supported by the engine acp:goose acp')
  })
})
