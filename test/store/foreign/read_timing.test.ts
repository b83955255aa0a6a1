/** Time, tokens and cost under the names and in the forms that other tools and models write. */
import { describe, expect, test } from 'vitest'
import { findUnusableMeasures, readForeignTiming } from '../../../src/store/foreign/read_timing.ts'

describe('time is', () => {
  test.each<[object, number | undefined]>([
    [{ total_duration_seconds: 12.5 }, 12.5],
    [{ duration_ms: 12_500 }, 12.5],
    [{ durationMs: 12_500 }, 12.5],
    [{ totalDurationSeconds: 12.5, durationMs: 1 }, 12.5],
    [{ elapsed_seconds: '12.5' }, 12.5],
    [{ elapsedMs: '12,500' }, 12.5],
    [{ duration_ms: 12_500, durationMs: 99 }, 12.5],
    [{ total_duration_seconds: 12.5, duration_ms: 12_512 }, 12.5],
    [{ duration_ms: 0, total_cost_usd: 0.1 }, undefined],
    [{ duration_seconds: 0, elapsed_seconds: 12.5 }, 12.5],
    [{ duration: 12.5, total_duration: 12.5 }, undefined],
    [{ duration_seconds: '12.5s' }, undefined],
    [{ duration_seconds: '1,2' }, undefined],
    [{ duration_seconds: '' }, undefined],
    [{ duration_seconds: -1 }, undefined],
  ])('in %j', (fields, seconds) => expect(readForeignTiming([fields])?.total_duration_seconds).toBe(seconds))
})

describe('tokens are', () => {
  test.each<[object, number | undefined]>([
    [{ total_tokens: 30 }, 30],
    [{ totalTokens: 30 }, 30],
    [{ tokens_total: 30 }, 30],
    [{ tokens: '30' }, 30],
    [{ prompt_tokens: 20, completion_tokens: 10 }, 30],
    [{ tokens: { total: 30 } }, 30],
    [{ usage: { total: 30 }, total: 5 }, 30],
    [{ total_tokens: 0, total_cost_usd: 0.1 }, undefined],
    [{ inputTokens: 20, outputTokens: '10' }, 30],
    [{ usage: { promptTokens: 20, completionTokens: 10 } }, 30],
    [{ usage: { total: 30 } }, 30],
    [{ execution_metrics: { total_tokens: 30 } }, 30],
    [{ execution_metrics: { input_tokens: 20, output_tokens: 10 } }, 30],
    [{ execution_metrics: { total: 30, total_tool_calls: 9, output_chars: 99 } }, undefined],
    [{ total: 30 }, undefined],
    [{ tokens: 'many' }, undefined],
  ])('in %j', (fields, tokens) => expect(readForeignTiming([fields])?.total_tokens).toBe(tokens))
})

test('the first source that knows a measure gives it', () => {
  expect(readForeignTiming([null, { duration_ms: 1000 }, { durationMs: 2000, cost: '0.5' }])).toEqual({
    total_duration_seconds: 1,
    total_cost_usd: 0.5,
  })
  expect(readForeignTiming([{ passed: 3 }, { total_tokens: null, note: 'none' }, null, 'x', [1]])).toBeNull()
})

test('what is too large to be reckoned with is named, as text and under other names too', () => {
  expect(findUnusableMeasures({ durationMs: 1e17, usage: { total: '99999999999999999' } })).toEqual([
    'duration_ms: 100000000000000000 is too large to be used',
    'total: 100000000000000000 is too large to be used',
  ])
})
