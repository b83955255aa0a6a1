/** Analysis as a user runs it: of decided comparisons, unsealed, once; notes that do not hold are dropped and counted. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { analysis } from '../../../schemas/analysis.ts'
import { benchmark } from '../../../schemas/benchmark.ts'
import { runMain } from '../../cli/run_main.ts'
import { analyst, type Benched, benched, compareWith, judgeFlags, judgeServer, judges } from './comparing.ts'

const resultOf = (folder: string) =>
  benchmark.parse(JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')))
const ask = (url: string, args: readonly string[]) =>
  runMain(['compare', '--analyze', ...args, ...judgeFlags], {
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice' },
  })

describe('compare --analyze', () => {
  let made: Benched
  beforeAll(async () => {
    made = await benched()
    await using server = await judgeServer(judges.fair)
    expect((await compareWith(server, [made.folder])).code).toBe(0)
  })

  test('reads both sides and writes analysis.json for a comparison of each case', async () => {
    await using server = await judgeServer(analyst)
    const end = await ask(server.url, [made.folder])
    expect(end.code, end.stderr + end.stdout).toBe(0)
    expect(end.stdout).toContain('- high (instructions): Say it twice → Fewer slips')
    const file = path.join(made.folder, 'eval-1-alpha/analysis.json')
    expect(analysis.parse(JSON.parse(readFileSync(file, 'utf8')))).toMatchObject({
      comparison_summary: {
        winner: 'A',
        winner_skill: made.skill,
        loser_skill: 'none',
        comparator_reasoning: 'A was better.',
      },
      instruction_following: { winner: { score: 9 } },
      comparison: 1,
    })
    expect(existsSync(path.join(made.folder, 'eval-2-beta/analysis.json'))).toBe(true)
    expect(existsSync(path.join(made.folder, 'eval-1-alpha/analysis-2.json'))).toBe(false)
    const read = JSON.stringify(server.requests.map(({ messages }) => messages))
    for (const text of ['Say GOOD', 'POOR', 'this agent was given no skill']) expect(read).toContain(text)
  })
  test('asks once; further comparisons have a number; --dry-run says how many questions', async () => {
    const dry = await ask('http://127.0.0.1:9', [made.folder, '--pairs', '2', '--only', 'comparisons', '--dry-run'])
    expect(dry.stdout).toContain('4 comparisons, 2 analyzed already: 2 questions to anthropic:practice-1')
    await using server = await judgeServer(analyst)
    await ask(server.url, [made.folder, '--pairs', '2', '--only', 'comparisons'])
    expect(server.requests.filter(({ turn }) => turn === 1)).toHaveLength(2)
    expect(existsSync(path.join(made.folder, 'eval-1-alpha/analysis-2.json'))).toBe(true)
  })
  test('keeps the notes that hold, drops and counts the others; they stay true to the numbers', async () => {
    const { notes, analyst_notes, metadata } = resultOf(made.folder)
    expect(notes.at(-1)).toBe('Both arms of eval 1 meet 100%. (1/with_skill/run-1)')
    expect(analyst_notes).toEqual({
      kept: 1,
      dropped: [{ text: 'Eval 2 fails half of the time, 50%.', reason: expect.stringContaining('is 1, not 0.5') }],
    })
    expect(metadata.analyzer_model).toBe('practice-1')
    expect((await runMain(['aggregate', made.folder])).code).toBe(0)
    expect(resultOf(made.folder)).toMatchObject({ notes, analyst_notes })
  })
  test('a model that answers nothing usable: exit 3, no analysis', async () => {
    await using server = await judgeServer('\n  - { name: prose, text: Well. }')
    writeFileSync(path.join(made.folder, 'eval-1-alpha/analysis-2.json'), '{')
    const end = await ask(server.url, [made.folder, '--pairs', '2', '--only', 'comparisons'])
    const message = expect.stringContaining('INCOMPLETE: 1 comparison has no analysis')
    expect(end).toMatchObject({ code: 3, stdout: message })
  })
  test('a benchmark with six notes of its own has no place for others: the model is not asked', async () => {
    const { folder } = await benched(1)
    const file = path.join(folder, 'benchmark.json')
    const before = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...before, notes: [1, 2, 3, 4, 5, 6].map((at) => `Note ${at}.`) }))
    await using server = await judgeServer(analyst)
    const end = await ask(server.url, [folder, '--only', 'notes'])
    expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining('The model was not asked for notes') })
    expect(server.requests.filter((request) => request.path.endsWith('/messages'))).toEqual([])
  })
  test('without a decided comparison there is nothing to analyze', async () => {
    const end = await ask('http://127.0.0.1:9', [(await benched(1)).folder, '--only', 'comparisons'])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('no comparison with a winner') })
  })
})
