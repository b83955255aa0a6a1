/** The temperature of a suite reaches the API as a parameter of each request, and no request has one unasked. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anthropic } from '../../src/engines/anthropic/anthropic.ts'
import { openai } from '../../src/engines/openai/openai.ts'
import { openStage, perform, practice, type Stage } from './stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(async () => {
  await stage[Symbol.asyncDispose]()
})

const rules = 'rules: [{ name: a, answer: { text: a } }]'
const noResponses = 'faults: [{ status: 404, path: /responses, message: no such path }]'

test.each([
  ['Messages', anthropic, rules],
  ['Responses', openai, rules],
  ['Chat Completions', openai, `${noResponses}\n${rules}`],
])('%s', async (_, engine, scenario) => {
  await using server = await practice(scenario)
  const credentials = {
    ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url },
    ...{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.url}/v1` },
  }
  const environment = { folder: stage.cwd, hooks: {}, rules: [], mcpConfig: null, mcpServers: [] }
  for (const more of [{ temperature: 0.2 }, {}]) {
    const task = stage.task({ credentials, environment: { ...environment, ...more } })
    expect((await perform(engine, task)).outcome.status).toBe('completed')
  }
  const sent = server.requests.map(({ temperature }) => temperature)
  expect(sent.slice(-2)).toEqual([0.2, undefined])
})
