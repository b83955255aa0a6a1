/** Trajectory checks of other tools among the criteria: what becomes a check, what a judge decides, and what is named as not read. */
import { describe, expect, test } from 'vitest'
import { judged } from '../../phases/1-plan/folder.ts'

const judgedBy = (item: object) => judged({ assertions: [item] })

describe('agentv', () => {
  const trajectory = (more: object) => ({ type: 'tool-trajectory', ...more })
  const order = (mode: string, tools: unknown[]) => ({ type: 'tool_order', mode, tools })
  test.each<{ item: object; check: object }>([
    {
      item: trajectory({ mode: 'any_order', minimums: { Read: 2, Bash: 1 } }),
      check: order('superset', ['Read', 'Read', 'Bash']),
    },
    {
      item: trajectory({ mode: 'in_order', expected: [{ tool: 'Read' }, { tool: 'Edit' }] }),
      check: order('in_order', ['Read', 'Edit']),
    },
    { item: trajectory({ mode: 'exact', expected: [{ tool: 'Read' }] }), check: order('exact', ['Read']) },
    {
      item: trajectory({ mode: 'exact', args_match: 'ignore', expected: [{ tool: 'Bash', args: { command: 'ls' } }] }),
      check: order('exact', ['Bash']),
    },
    {
      item: trajectory({ mode: 'exact', expected: [{ tool: 'Bash', args: { a: 1, cwd: '/' }, args_match: ['cwd'] }] }),
      check: order('exact', [{ name: 'Bash', args: { cwd: '/' } }]),
    },
    { item: { type: 'execution-metrics', max_tool_calls: 10 }, check: { type: 'tool_calls_at_most', value: 10 } },
    { item: { type: 'latency', max_ms: 5000 }, check: { type: 'duration_at_most', value: 5 } },
    { item: { type: 'cost', max_usd: 0.1 }, check: { type: 'cost_at_most', value: 0.1 } },
  ])('$item is a check', async ({ item, check }) => {
    const read = await judgedBy({ name: 'n', ...item })
    expect([read.case.checks, read.texts]).toEqual([[{ ...check, text: 'n' }], []])
    expect(read.warnings).toEqual([expect.stringContaining('is read as a check of type')])
  })
  test('several limits become several checks that weigh as one', async () => {
    const limits = { max_tool_calls: 10, max_llm_calls: 5, max_cost_usd: 0.05, max_duration_ms: 30_000 }
    const read = await judgedBy({ type: 'execution-metrics', name: 'efficiency', weight: 2, ...limits, max_tokens: 9 })
    expect(read.case.checks).toEqual([
      { type: 'tool_calls_at_most', value: 10, weight: 0.5 },
      { type: 'turns_at_most', value: 5, weight: 0.5 },
      { type: 'cost_at_most', value: 0.05, weight: 0.5 },
      { type: 'duration_at_most', value: 30, weight: 0.5 },
    ])
    expect(read.warnings.at(-1)).toContain('"max_tokens" of a criterion is not read')
  })
  test.each<[object, RegExp]>([
    [trajectory({ mode: 'any_order', minimums: { knowledgeSearch: 2 } }), /fits this rule: .*"knowledgeSearch":2/],
    [trajectory({ mode: 'in_order', expected: [{ tool: 'Read', max_duration_ms: 100 }] }), /"max_duration_ms":100/],
    [trajectory({ mode: 'exact', args_match: 'exact', expected: [{ tool: 'Bash', args: { a: 1 } }] }), /"exact"/],
    [trajectory({ mode: 'exact', expected: [] }), /fits this rule/],
    [trajectory({ mode: 'exact', minimums: { Read: 1 } }), /fits this rule/],
    [{ type: 'execution_metrics', max_tokens: 5000 }, /fits this rule: .*"max_tokens":5000/],
  ])('%j is for a judge, with all its parameters', async (item, text) => {
    const read = await judgedBy({ name: 'n', indicator: true, ...item })
    expect(read.case.checks).toEqual([])
    expect(read.case.expectations).toEqual([{ text: expect.stringMatching(text), indicator: true }])
    expect(read.texts[0]).toMatch(/^n: The run/)
    expect(read.warnings[0]).toContain('is not certain (')
  })
  test('its own words win', async () => {
    const item = trajectory({ mode: 'exact', expected: [{ tool: 'recall' }], description: 'It recalls first' })
    expect((await judgedBy(item)).texts).toEqual(['It recalls first'])
  })
  test.each(['skill-trigger', 'not-skill-used'])('%s is named as not supported', async (type) => {
    const read = await judgedBy({ type, skill: 'sums', should_trigger: true })
    expect([read.texts, read.case.checks]).toEqual([[], []])
    expect(read.warnings[0]).toMatch(/"skill_read" in "checks" shows it\) and states nothing; it is left out/)
  })
})

describe('promptfoo', () => {
  test.each<{ item: object; check: object }>([
    { item: { type: 'trajectory:tool-used', value: 'Bash' }, check: { type: 'tool_used', name: 'Bash' } },
    {
      item: { type: 'trajectory:tool-used', value: { pattern: 'mcp__kb__*', min: 2, max: 3 } },
      check: { type: 'tool_used', name: 'mcp__kb__*', times: { min: 2, max: 3 } },
    },
    {
      item: { type: 'trajectory:tool-used', value: { name: 'Bash', max: 3 } },
      check: { type: 'tool_used', name: 'Bash', times: { min: 1, max: 3 } },
    },
    {
      item: { type: 'trajectory:tool-used', value: { name: 'Bash', min: 0, max: 0 } },
      check: { type: 'tool_not_used', name: 'Bash' },
    },
    {
      item: { type: 'not-trajectory:tool-used', value: 'WebFetch' },
      check: { type: 'tool_not_used', name: 'WebFetch' },
    },
    {
      item: { type: 'trajectory:tool-sequence', value: { mode: 'exact', steps: ['Read', { name: 'Edit' }] } },
      check: { type: 'tool_order', mode: 'exact', tools: ['Read', 'Edit'] },
    },
    {
      item: { type: 'trajectory:tool-args-match', value: { name: 'Bash', args: { command: 'ls' }, mode: 'partial' } },
      check: { type: 'tool_used', name: 'Bash', args: { command: 'ls' } },
    },
    {
      item: { type: 'trajectory:step-count', value: { type: 'tool', max: 8 } },
      check: { type: 'tool_calls_at_most', value: 8 },
    },
    {
      item: { type: 'trajectory:step-count', value: { type: 'tool', min: 1, max: 8 } },
      check: { type: 'tool_used', name: '*', times: { min: 1, max: 8 } },
    },
    {
      item: { type: 'tool_order', before: 'Read', after: 'Edit' },
      check: { type: 'tool_order', mode: 'first_in_order', tools: ['Read', 'Edit'] },
    },
    { item: { type: 'max_tool_calls', value: 3 }, check: { type: 'tool_calls_at_most', value: 3 } },
  ])('$item is a check', async ({ item, check }) => {
    const read = await judgedBy(item)
    expect([read.case.checks, read.texts]).toEqual([[check], []])
    expect(read.warnings).toEqual([expect.stringContaining('is read as a check of type')])
  })
  test.each<[object, RegExp]>([
    [{ type: 'trajectory:tool-used', value: 'search_orders' }, /"search_orders"/],
    [{ type: 'trajectory:tool-used', value: { name: 'Bash', min: 3, max: 1 } }, /"min":3/],
    [{ type: 'trajectory:tool-args-match', value: { name: 'Bash', args: { a: { b: 1 } } } }, /"b":1/],
    [{ type: 'trajectory:tool-args-match', value: { name: 'Bash', args: { a: 1 }, mode: 'exact' } }, /"exact"/],
    [{ type: 'not-trajectory:tool-sequence', value: ['Edit', 'Read'] }, /not-trajectory:tool-sequence/],
    [{ type: 'trajectory:goal-success', value: { goal: 'Reply' } }, /^The agent achieved this goal: Reply/],
    [{ type: 'tool_order', value: ['verify_claim', 'approve_claim'] }, /"approve_claim"/],
  ])('%j is for a judge, with all its parameters', async (item, text) => {
    const read = await judgedBy(item)
    expect([read.texts, read.case.checks]).toEqual([[expect.stringMatching(text)], []])
    expect(read.warnings[0]).toMatch(/is not (?:certain|supported) \(.*a judge decides/)
  })
})
