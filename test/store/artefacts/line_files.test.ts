/** Files of one JSON value a line after a machine that failed: in spent.jsonl the last line may be cut off, any other is whole; in attempts.jsonl what is damaged costs no other line. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AttemptLine } from '../../../schemas/attempts.ts'
import type { SpentLine } from '../../../schemas/limits.ts'
import type { Damage } from '../../../src/store/artefacts/damage.ts'
import {
  noteAttempt,
  noteSpent,
  readAttempts,
  readSpent,
  repairSpent,
} from '../../../src/store/artefacts/spending_log.ts'

const line = (run: number): SpentLine => ({
  run_id: `eval-1-ä/with_skill/run-${run}`,
  part: 'run',
  started_at: '2026-01-15T10:30:00.000Z',
  usd: 0.25,
  tokens: null,
})

/** Two whole lines, then this. */
function ledger(more: string | Buffer): { folder: string; file: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'ledger-'))
  noteSpent(folder, line(1))
  noteSpent(folder, line(2))
  const file = path.join(folder, 'spent.jsonl')
  appendFileSync(file, more)
  return { folder, file }
}

async function mended(folder: string): Promise<Damage[]> {
  const told: Damage[] = []
  await repairSpent(folder, (damage) => told.push(damage))
  return told
}

const whole = JSON.stringify(line(3))

describe('a last line', () => {
  test.each<[string, string | Buffer]>([
    ['cut off', whole.slice(0, 30)],
    ['cut off within a letter', Buffer.from(whole).subarray(0, whole.indexOf('ä') + 1)],
    ['of zero bytes', Buffer.alloc(40)],
  ])('%s is left out, told once, and the next begins a line', async (_, more) => {
    const { folder, file } = ledger(more)
    expect(await readSpent(folder)).toEqual([line(1), line(2)])
    expect(await mended(folder)).toEqual([{ file, message: `${file}:3: the last line is cut off` }])
    noteSpent(folder, line(4))
    expect(await readSpent(folder)).toEqual([line(1), line(2), line(4)])
    expect(await mended(folder)).toEqual([])
  })
  test('that lacks its end alone counts', async () => {
    const { folder, file } = ledger(whole)
    expect(await mended(folder)).toEqual([])
    noteSpent(folder, line(4))
    expect(await readSpent(folder)).toEqual([1, 2, 3, 4].map(line))
    expect(readFileSync(file, 'utf8')).toMatch(/\}\n$/)
  })
  test('of a benchmark that noted nothing', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ledger-'))
    expect([await mended(folder), await readSpent(folder)]).toEqual([[], []])
  })
})

describe('any other line that is damaged is refused with its place', () => {
  test.each([
    ['cut off between two others', `${whole.slice(0, 30)}\n${whole}\n`, /spent\.jsonl:3:31: not valid JSON/],
    ['cut off, and ended', `${whole.slice(0, 30)}\n`, /spent\.jsonl:3:31: not valid JSON/],
    ['after an empty one', '\nno\n', /spent\.jsonl:4:2: not valid JSON/],
    ['of another kind', '{}\n', /spent\.jsonl:3: \$\.run_id/],
    ['of another kind, without its end', '{}', /spent\.jsonl:3: \$\.run_id/],
  ])('%s', async (_, more, message) => {
    const { folder, file } = ledger(more)
    await expect(mended(folder)).rejects.toThrow(message)
    await expect(readSpent(folder)).rejects.toThrow(message)
    expect(readFileSync(file, 'utf8')).toContain(more)
  })
})

test('the place of a mistake in the first line', async () => {
  const { folder, file } = ledger('')
  writeFileSync(file, `{"run_id": }\n${whole}\n`)
  await expect(readSpent(folder)).rejects.toThrow(/spent\.jsonl:1:12/)
})

describe('what is no ledger is left as it is', () => {
  const victim = 'alias a=b\nexport IMPORTANT=1'
  test.each<[string, (folder: string) => unknown]>([
    ['mended', (folder) => mended(folder)],
    ['read', (folder) => readSpent(folder)],
    ['noted in', async (folder) => noteSpent(folder, line(1))],
  ])('a link to another file that is %s', async (_, doing) => {
    const { folder, file } = ledger('')
    const elsewhere = path.join(mkdtempSync(path.join(tmpdir(), 'victim-')), 'file')
    writeFileSync(elsewhere, victim)
    rmSync(file)
    symlinkSync(elsewhere, file)
    await expect(doing(folder)).rejects.toThrow(`${file}: expected a file, found a symbolic link`)
    expect(readFileSync(elsewhere, 'utf8')).toBe(victim)
  })
  test('a file of other lines', async () => {
    const { folder, file } = ledger('')
    writeFileSync(file, victim)
    await expect(mended(folder)).rejects.toThrow(/spent\.jsonl:1/)
    expect(readFileSync(file, 'utf8')).toBe(victim)
  })
})

const attemptLine = (attempt: number): AttemptLine => ({
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
  for (const attempt of attempts) noteAttempt(folder, attemptLine(attempt))
  return { folder, file: path.join(folder, 'attempts.jsonl') }
}

function readTold(folder: string): { attempts: number[]; told: string[] } {
  const told: string[] = []
  const attempts = readAttempts(folder, ({ message }) => told.push(message)).map(({ attempt }) => attempt)
  return { attempts, told }
}

describe('attempts.jsonl', () => {
  test('that is not there holds none', () => expect(readTold(noted().folder)).toEqual({ attempts: [], told: [] }))
  test('holds each attempt once', () => {
    expect(readTold(noted(1, 2, 1).folder)).toEqual({ attempts: [1, 2], told: [] })
  })
  test.each<[string, (text: string) => string, number[], RegExp]>([
    ['whose last line is cut off', (text) => text.slice(0, -30), [1], /attempts\.jsonl:2/],
    ['whose first line is no JSON', (text) => text.replace('{', '<'), [2], /attempts\.jsonl:1/],
    ['whose line holds NUL bytes', (text) => `${text}\0\0\0\n`, [1, 2], /attempts\.jsonl:3/],
    ['with a field of another kind', (text) => text.replace('"attempt":2', '"attempt":"two"'), [1], /:2.*attempt/],
  ])('%s: the rest is read, and it is told', (_, damage, attempts, message) => {
    const { folder, file } = noted(1, 2)
    writeFileSync(file, damage(readFileSync(file, 'utf8')))
    const found = readTold(folder)
    expect(found.attempts).toEqual(attempts)
    expect(found.told).toEqual([expect.stringMatching(message)])
  })
  test('what is noted after a line that was cut off begins one of its own', () => {
    const { folder, file } = noted(1)
    appendFileSync(file, '{"run_id": "eval')
    noteAttempt(folder, attemptLine(2))
    expect(readTold(folder)).toMatchObject({ attempts: [1, 2], told: [expect.stringContaining(':2')] })
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4)
  })
})
