/** What a recording and a fresh one are compared by: a new or missing kind of line, field or type is seen; ids, times and values are not. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import triedVersions from '../../src/engines/cli/tried_versions.json' with { type: 'json' }
import { listFacts } from './recorded/shape.ts'
import type { Step } from './recorded/steps.ts'

const file = (id: string) => `home/sessions/rollout-2026-01-01T00-00-01-${id}.jsonl`
const scene = (record: object, id = '0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab'): Step[][] => [
  [
    { args: ['run', id] },
    { out: { type: 'turn', usage: { tokens: 3 } } },
    { file: file(id), record: { kind: 'kept' } },
    { out: record },
    { exit: 0 },
  ],
]
const usual = listFacts([scene({ type: 'end', text: 'one' })])

test('ids, times and values do not count', () => {
  expect(listFacts([scene({ type: 'end', text: 'other' }, 'fedcba98-bbbb-4aaa-9ddd-ba9876543210')])).toEqual(usual)
})
test.each([
  ['a kind', { type: 'finish', text: 'one' }],
  ['a field', { type: 'end', text: 'one', reason: 'done' }],
  ['a type', { type: 'end', text: null }],
])('%s that is new is seen', (_, record) => {
  expect([...listFacts([scene(record)]).keys()].filter((fact) => !usual.has(fact))).not.toEqual([])
})
test('a line that was cut is no kind of a file', () => {
  const cut: Step[][] = [[{ file: file('1'), record: '{"kind":' }]]
  expect(listFacts([cut]).size).toBe(0)
})
test('the version of each recording is one of the tested range', () => {
  const folder = path.join(import.meta.dirname, 'recorded')
  const headers = readdirSync(folder).flatMap((name) =>
    name.endsWith('.jsonl') ? JSON.parse(readFileSync(path.join(folder, name), 'utf8').split('\n', 1)[0] ?? '') : [],
  )
  expect(headers.length).toBeGreaterThan(0)
  for (const { cli, version } of headers) {
    const range: readonly string[] = Object.entries(triedVersions).find(([name]) => name === cli)?.[1] ?? []
    const order = [range[0], version, range[1]]
    expect(
      order.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })),
      cli,
    ).toEqual(order)
  }
})
