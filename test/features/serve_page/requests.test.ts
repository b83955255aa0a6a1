/** What a served page answers: nothing to foreign pages or without its token, no way out of its files, only notes and marks of its form. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { foreign } from '../../viewer/foreign.ts'
import { listDecisions } from '../../viewer/views/audited.ts'
import { type Asked, ask, benchHere, type ServedPage, serveHere } from './served.ts'

const judge = `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges/lenient.mjs')} bad`
let folder: string
let served: ServedPage
beforeAll(async () => {
  folder = await benchHere(tidyAgent, 1, ['--judge', judge])
  served = await serveHere(folder)
})
afterAll(async () => {
  served.stop()
  await served.ended
})

const own = () => ({ host: new URL(served.url).host })
const json = { 'content-type': 'application/json' }
const note = JSON.stringify({ reviews: [], status: 'complete' })
const post = (place: string, body: string, headers: Record<string, string> = {}): Asked => ({
  ...{ path: place, method: 'POST', headers: { ...own(), ...json, ...headers }, body },
})

test.each<[string, number, () => Asked]>([
  ['the page', 200, () => ({ path: '/', headers: own() })],
  ['another name for this machine', 403, () => ({ path: '/', headers: { host: 'evil.example' } })],
  ['a foreign origin', 403, () => ({ path: '/', headers: { ...own(), origin: 'http://evil.example' } })],
  ['another site', 403, () => ({ path: '/', headers: { ...own(), 'sec-fetch-site': 'cross-site' } })],
  ['notes', 200, () => post('/feedback', note)],
  ['notes from a foreign origin', 403, () => post('/feedback', note, { origin: 'null' })],
  ['notes as a form', 415, () => post('/feedback', note, { 'content-type': 'text/plain' })],
  ['notes of no form', 400, () => post('/feedback', '{"a":1}')],
  ['out of the folder', 404, () => ({ path: '/report.data/../plan.json', headers: own() })],
  ['out of it, encoded', 404, () => ({ path: '/report.data/%2e%2e%2fplan.json', headers: own() })],
  ['an absolute path', 404, () => ({ path: '//etc/passwd', headers: own() })],
  ['a file of the benchmark', 404, () => ({ path: '/plan.json', headers: own() })],
  ['the fleet of no queue', 404, () => ({ path: '/fleet.json', headers: own() })],
])('%s: %i', async (_what, status, asked) => expect(await ask(served.url, asked())).toBe(status))

test.each<[string, () => Asked]>([
  ['the page', () => ({ path: '/', headers: own() })],
  ['the page, without the slash', () => ({ path: new URL(served.url).pathname.slice(0, -1), headers: own() })],
  ['a wrong token', () => ({ path: `${new URL(served.url).pathname.slice(0, -2)}/`, headers: own() })],
  ['the next part of the path', () => ({ path: `/x${new URL(served.url).pathname}`, headers: own() })],
  ['what tells of changes', () => ({ path: '/events', headers: own() })],
  ['data of a run', () => ({ path: '/report.data/eval-1-task_with_skill_run-1.js', headers: own() })],
  ['notes', () => post('/feedback', note)],
  ['an address that leads in once, guessed', () => ({ path: '/once/', headers: own() })],
])('without the token of the address: %s', async (_what, asked) => {
  expect(await ask(new URL('/', served.url).href, asked())).toBe(403)
})
test('negative control: the token is long, and the files that are refused are there', async () => {
  expect(new URL(served.url).pathname).toMatch(/^\/[0-9a-f]{64}\/$/)
  expect(existsSync(path.join(folder, 'plan.json'))).toBe(true)
  expect(await (await fetch(served.url)).text()).not.toContain('data-fleet')
})

const log = () => {
  const file = path.join(folder, '../../audit_log.jsonl')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}
test('only what is a mark of this benchmark, from this page, is kept', async () => {
  const [one = { id: '', run_id: '' }] = await listDecisions(path.join(folder, '../..'))
  const mark = (more: object = {}) => JSON.stringify({ id: one.id, run_id: one.run_id, met: true, ...more })
  for (const [status, asked] of [
    [403, post('/audit', mark(), { origin: 'http://evil.example' })],
    [403, post('/audit', mark(), { host: 'evil.example' })],
    [403, post('/audit', mark(), { 'sec-fetch-site': 'cross-site' })],
    [415, post('/audit', mark(), { 'content-type': 'text/plain' })],
    [400, post('/audit', mark({ met: 'yes' }))],
    [400, post('/audit', mark({ id: 'no' }))],
    [400, post('/audit', mark({ run_id: '../../../../etc' }))],
  ] as const) {
    expect([asked, await ask(served.url, asked)]).toEqual([asked, status])
  }
  expect(log()).toEqual([])
  // negative control: the same request as it should be
  expect(await ask(served.url, post('/audit', mark()))).toBe(200)
  expect(log()).toHaveLength(1)
})
test('marks and labels at the same moment all become whole lines', async () => {
  const all = await listDecisions(path.join(folder, '../..'))
  const before = log().length
  const marks = Array.from({ length: 10 }, () =>
    all.map(({ id, run_id }) => post('/audit', JSON.stringify({ id, run_id, met: true }))),
  )
  const labels = all.map(({ id }) => `--label=${id}=agree`)
  const asked = marks.flat().map((one) => ask(served.url, one))
  const [statuses, end] = await Promise.all([
    Promise.all(asked),
    runMain(['audit', path.join(folder, '../..'), ...labels]),
  ])
  expect([new Set(statuses), end.code]).toEqual([new Set([200]), 0])
  const lines = log().map((line) => JSON.parse(line))
  expect(lines).toHaveLength(before + 11 * all.length)
})
test("a folder of another tool has no judge of ours to be marked; one without a run isn't served", async () => {
  const other = await serveHere(foreign())
  expect(await ask(other.url, { path: '/audit', method: 'POST', headers: json, body: '{}' })).toBe(404)
  other.stop()
  await other.ended
  const end = await runMain(['view', fresh(), '--serve'])
  expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/no/)])
})
