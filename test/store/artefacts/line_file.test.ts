/** Files of one JSON value a line: what is cut off or damaged is told, and costs no other line. */
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AttemptLine } from '../../../schemas/attempts.ts'
import { noteAttempt, readAttempts } from '../../../src/store/artefacts/attempts.ts'

const line = (attempt: number): AttemptLine => ({
  run_id: 'eval-1-x/with_skill/run-1',
  job: 'job',
  attempt,
  worker: 'w',
  started_at: '2026-01-01T00:00:00.000Z',
  status: 'lost',
  usd: 0.5,
  tokens: 10,
})

function noted(...attempts: number[]): { folder: string; file: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'lines-'))
  for (const attempt of attempts) noteAttempt(folder, line(attempt))
  return { folder, file: path.join(folder, 'attempts.jsonl') }
}

function read(folder: string): { attempts: number[]; told: string[] } {
  const told: string[] = []
  const attempts = readAttempts(folder, ({ message }) => told.push(message)).map(({ attempt }) => attempt)
  return { attempts, told }
}

describe('attempts.jsonl', () => {
  test('that is not there holds none', () => expect(read(noted().folder)).toEqual({ attempts: [], told: [] }))
  test('holds each attempt once', () => {
    expect(read(noted(1, 2, 1).folder)).toEqual({ attempts: [1, 2], told: [] })
  })
  test.each<[string, (text: string) => string, number[], RegExp]>([
    ['whose last line is cut off', (text) => text.slice(0, -30), [1], /attempts\.jsonl:2/],
    ['whose first line is no JSON', (text) => text.replace('{', '<'), [2], /attempts\.jsonl:1/],
    ['whose line holds NUL bytes', (text) => `${text}\0\0\0\n`, [1, 2], /attempts\.jsonl:3/],
    ['with a field of another kind', (text) => text.replace('"attempt":2', '"attempt":"two"'), [1], /:2.*attempt/],
  ])('%s: the rest is read, and it is told', (_, damage, attempts, message) => {
    const { folder, file } = noted(1, 2)
    writeFileSync(file, damage(readFileSync(file, 'utf8')))
    const found = read(folder)
    expect(found.attempts).toEqual(attempts)
    expect(found.told).toEqual([expect.stringMatching(message)])
  })
  test('what is noted after a line that was cut off begins one of its own', () => {
    const { folder, file } = noted(1)
    appendFileSync(file, '{"run_id": "eval')
    noteAttempt(folder, line(2))
    expect(read(folder)).toMatchObject({ attempts: [1, 2], told: [expect.stringContaining(':2')] })
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4)
  })
})
