/** A served page: no note is lost by one that is saved, and its address is the same for its user after a restart, another for everybody and everything else. */
import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { mergeNotes } from '../../../src/features/serve_page/save_notes.ts'
import { deriveToken, serve } from '../../../src/features/serve_page/serve.ts'
import { isSameToken, startPageServer } from '../../../src/features/serve_page/server.ts'
import { readCaseFeedback } from '../../../src/flows/improve/propose/training_runs.ts'
import { readFeedbackNotes } from '../../../src/flows/page/data/notes.ts'
import { createResultSigner } from '../../../src/store/signing/signer.ts'
import { fresh } from '../../e2e/program.ts'
import { foreign } from '../../viewer/foreign.ts'

function fileOf(text: string): string {
  const file = path.join(fresh(), 'feedback.json')
  writeFileSync(file, text)
  return file
}

const note = (run_id: string, feedback: string) => ({ run_id, feedback, timestamp: '2026-01-01T00:00:00Z' })
const sent = JSON.stringify({ reviews: [note('eval-2', 'new')], status: 'complete' })
const withoutTime = {
  reviews: [{ run_id: 'eval-1-a', feedback: 'by hand' }, note('eval-1-b', 'timed')],
  status: 'complete',
}

describe('what is read', () => {
  test.each<[string, unknown, string[][]]>([
    [
      'reviews, one without a time',
      withoutTime,
      [
        ['eval-1-a', 'by hand'],
        ['eval-1-b', 'timed'],
      ],
    ],
    ['reviews among which one is none', { reviews: [note('eval-1', 'x'), { run_id: 2 }] }, [['eval-1', 'x']]],
    [
      'names and texts',
      { 'eval-1': 'x', 'eval-2': 'y' },
      [
        ['eval-1', 'x'],
        ['eval-2', 'y'],
      ],
    ],
    ['a list', ['eval-1'], []],
  ])('%s', (_what, value, found) => {
    const file = fileOf(JSON.stringify(value))
    expect(readFeedbackNotes(file).reviews.map(({ run_id, feedback }) => [run_id, feedback])).toEqual(found)
  })
  test('a proposer reads either dialect', () => {
    const seen = [withoutTime, { 'eval-1-c': 'by name', 'eval-2-c': 'of another case' }].map((value) =>
      path.dirname(fileOf(JSON.stringify(value))),
    )
    const split = { seed: 1, train: [1], held_out: [2], strata: [], suite_sha256: '', scope: '' }
    expect(readCaseFeedback({ seen, split })).toEqual(['eval-1-a: by hand', 'eval-1-b: timed', 'eval-1-c: by name'])
  })
})

describe('a note that is saved', () => {
  test('stands beside those that were there, with all that the file says besides', async () => {
    const file = fileOf(JSON.stringify({ ...withoutTime, reviewer: 'me' }))
    await mergeNotes(file, sent)
    const after = JSON.parse(readFileSync(file, 'utf8'))
    expect(after.reviews.map((one: { feedback: string }) => one.feedback)).toEqual(['by hand', 'timed', 'new'])
    expect(after.reviewer).toBe('me')
  })
  test.each<[string, string, string]>([
    ['no JSON', '{"reviews": [', 'line 1:14: not valid JSON'],
    ['a list', '[]', 'expected a JSON object'],
    ['reviews of which one is none', JSON.stringify({ reviews: [note('a', 'x'), { feedback: 'y' }] }), 'reviews[1]'],
    ['names of which one has no text', '{"eval-1": "x", "eval-2": {"text": "y"}}', 'eval-2 is not text'],
  ])('replaces no file that cannot be read: %s', async (_what, text, problem) => {
    const file = fileOf(text)
    const refused = { message: expect.stringContaining(`${file}: ${problem}`), fix: expect.stringContaining('fix it') }
    await expect(mergeNotes(file, sent)).rejects.toMatchObject(refused)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
  test('replaces no link that leads out of the folder', async () => {
    const elsewhere = fileOf(JSON.stringify({ 'eval-1': 'elsewhere' }))
    const file = path.join(fresh(), 'feedback.json')
    symlinkSync(elsewhere, file)
    await expect(mergeNotes(file, sent)).rejects.toThrow(
      `${file}: expected a JSON object with the name of a run in this folder`,
    )
    expect(JSON.parse(readFileSync(elsewhere, 'utf8'))).toEqual({ 'eval-1': 'elsewhere' })
  })
})

test('a folder that is moved away while it is served ends that, as a mistake, and is not made again', async () => {
  const folder = foreign()
  const never = new AbortController().signal
  const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date() }
  const started = () => renameSync(folder, `${folder}-elsewhere`)
  const problem = { name: 'UserError', message: `${folder}: no longer exists` }
  await expect(serve({ folder, watchFleet: null, started }, context)).rejects.toMatchObject(problem)
  expect(existsSync(folder)).toBe(false)
})

test('a token is of one key, folder and port', () => {
  const one = createResultSigner(() => Buffer.alloc(32, 1))
  const other = createResultSigner(() => Buffer.alloc(32, 2))
  const tokens = [
    deriveToken(one, '/a', 1),
    deriveToken(other, '/a', 1),
    deriveToken(one, '/b', 1),
    deriveToken(one, '/a', 2),
  ]
  expect(new Set(tokens).size).toBe(4)
  expect(isSameToken(deriveToken(one, '/a', 1), tokens[0] ?? '')).toBe(true)
  expect(isSameToken(tokens[0] ?? '', tokens[1] ?? '')).toBe(false)
  expect(isSameToken(tokens[0] ?? '', (tokens[0] ?? '').slice(0, -1))).toBe(false)
})

test('what starts a browser gets an address that leads to the page once', async () => {
  const server = await startPageServer({
    page: async () => '<html></html>',
    data: fresh(),
    keep: new Map(),
    port: 0,
    token: () => 'secret',
  })
  try {
    const address = server.once()
    expect(address).not.toContain('secret')
    const first = await fetch(address)
    expect([first.status, first.url]).toEqual([200, server.url])
    expect((await fetch(address)).status).toBe(403)
    expect((await fetch(server.once(), { method: 'POST' })).status).toBe(403)
    expect((await fetch(server.once(), { headers: { origin: 'http://evil.example' } })).status).toBe(403)
  } finally {
    await server.close()
  }
})
