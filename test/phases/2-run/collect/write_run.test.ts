/** What a run leaves in its folder where the agent's files have the names of ours. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { metrics } from '../../../../schemas/metrics.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { writeRunFiles } from '../../../../src/phases/2-run/collect/write_run.ts'
import { record } from '../../../fixtures/record.ts'

async function writtenWith(names: readonly string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'write-test-'))
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, 'outputs', name)), { recursive: true })
    writeFileSync(path.join(folder, 'outputs', name), `agent's ${name}`)
  }
  const files = names.map((name) => ({ path: name, bytes: 1, sha256: 'x', change: 'created' as const }))
  const run = record({ outputs: { files, deleted: [], left_out: [] } })
  await writeRunFiles({ folder, record: run, events: [], prompt: 'p' })
  metrics.parse(JSON.parse(readFileSync(path.join(folder, 'outputs/metrics.json'), 'utf8')))
  return run.outputs.files.map((file) => [file.path, readFileSync(path.join(folder, 'outputs', file.path), 'utf8')])
}

test.each([
  ['a file', ['metrics.json'], [['metrics.agent.json', "agent's metrics.json"]]],
  ['a folder', ['metrics.json/a.txt'], [['metrics.agent.json/a.txt', "agent's metrics.json/a.txt"]]],
  [
    'a file beside one of the name that it gets',
    ['metrics.agent.json', 'metrics.json'],
    [
      ['metrics.agent.agent.json', "agent's metrics.agent.json"],
      ['metrics.agent.json', "agent's metrics.json"],
    ],
  ],
])("the agent's own metrics.json, %s, stays beside ours", async (_, names, kept) => {
  expect(await writtenWith(names)).toEqual(kept)
})

const loaded = { skills: [], tools: null, mcp_servers: null }
const call: TranscriptEvent = {
  ...{ type: 'tool_call', at: '2026-01-15T10:30:00.000Z', step: 1, id: 'a', name: 'Read' },
  input: {},
}

test.each([
  ['an engine that shows none: unknown', { loaded: null }, [], [0, false]],
  ['an engine that shows them: none', { loaded }, [], [0, undefined]],
  ['a run that was cut off, of which one is known', { loaded: null }, [call], [1, undefined]],
])('tool calls of %s', async (_, changes, events, told) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'write-test-'))
  mkdirSync(path.join(folder, 'outputs'))
  await writeRunFiles({ folder, record: record(changes), events, prompt: 'p' })
  const counted = metrics.parse(JSON.parse(readFileSync(path.join(folder, 'outputs/metrics.json'), 'utf8')))
  expect([counted.total_tool_calls, counted.tools_shown]).toEqual(told)
})
