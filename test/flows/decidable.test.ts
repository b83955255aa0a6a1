/** Checks that can't be decided on an engine, or never be met, are told of before anything is paid for. */
import { expect, test } from 'vitest'
import type { Check } from '../../schemas/check.ts'
import type { Environment } from '../../schemas/suite.ts'
import { withDecidable } from '../../src/flows/decidable.ts'
import { suiteCase } from '../fixtures/suite_case.ts'

const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] }
const environment: Environment = { files: [], hooks, rules: [], agents: [], mcp_servers: {} }

async function warned(engine: string, checks: Check[], more: { environment?: Environment; model?: string } = {}) {
  const cases = [suiteCase({ eval_id: 1, checks, environment: more.environment }), suiteCase({ eval_id: 4, checks })]
  const suite = { format: 'evals.json', path: '/s/evals.json', skill_name: 's', cases, warnings: [] }
  const { warnings } = await withDecidable(suite, { name: engine, model: more.model ?? null })
  return warnings.map(({ at, message }) => `${at}: ${message}`)
}

const used: Check = { type: 'tool_used', name: 'Bash' }
const blocked: Check = { type: 'agent_blocked' }
const cost: Check = { type: 'cost_at_most', value: 1 }

test.each<[string, Check[], RegExp[]]>([
  [
    'command',
    [
      { type: 'contains', value: 'x' },
      { type: 'duration_at_most', value: 9 },
    ],
    [],
  ],
  [
    'command',
    [used, { type: 'turns_at_most', value: 3 }],
    [/^eval 1, 4: tool_used, turns_at_most: the engine command does not show how/],
  ],
  ['command', [blocked, { type: 'skill_read' }], [/^eval 1, 4: agent_blocked, skill_read: .*can't be decided/]],
  [
    'command',
    [cost, { type: 'tokens_at_most', value: 1 }],
    [/^eval 1, 4: cost_at_most: .*what this model costs/, /tokens_at_most: .*not show tokens/],
  ],
  ['anthropic', [used, { type: 'skill_read' }, { type: 'tokens_at_most', value: 1 }], []],
  ['anthropic', [blocked], [/^eval 1, 4: agent_blocked: the case has no hook/]],
])('%s %j', async (engine, checks, messages) => {
  const found = await warned(engine, checks)
  expect(found).toHaveLength(messages.length)
  for (const [index, message] of messages.entries()) expect(found[index]).toMatch(message)
})
test('only the case without a hook is named', async () => {
  expect(await warned('claude-code', [blocked], { environment })).toEqual([
    expect.stringMatching(/^eval 4: agent_blocked/),
  ])
})
test('a model without a price can be held to no cost, one with a price can', async () => {
  expect(await warned('anthropic', [cost], { model: 'claude-of-nobody-knows' })).toHaveLength(1)
  expect(await warned('anthropic', [cost], { model: 'claude-haiku-4-5' })).toEqual([])
})
