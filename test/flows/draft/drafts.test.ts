/** Drafts: whether another answer may be asked for under a budget, and that they are written whole or not at all. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { estimateDrafts, explainOverBudget, refuseOverBudget } from '../../../src/flows/draft/estimate_drafts.ts'
import { writeDrafts } from '../../../src/flows/draft/write_drafts.ts'
import { noLimits } from '../../../src/flows/limits/limits.ts'

const answer = (costUsd: number | null, tokens: number | null = 1000, calls = 1) => ({
  calls,
  costUsd,
  tokens,
  model: null,
})

test.each([
  ['nothing was asked yet', { budget: 0.01 }, [], null],
  ['another as dear just fits', { budget: 0.3 }, [answer(0.1), answer(0.1)], null],
  [
    'the dearest counts, not the last',
    { budget: 0.3 },
    [answer(0.2), answer(0.05)],
    /\$0\.25 of \$0\.30 spent, and an answer took up to \$0\.20/,
  ],
  ['tokens', { budgetTokens: 1500 }, [answer(null)], /budget of tokens: 1,000 tokens of 1,500 tokens spent/],
  ['no limit', {}, [answer(null, null)], null],
  ['what was not reported', { budget: 5 }, [answer(null)], /the cost of a question was not reported/],
  ['tokens not reported', { budgetTokens: 5000 }, [answer(1, null)], /the token count of a question was not reported/],
  [
    'not reported, counted by question',
    { budget: 0.7, costPerRun: 0.2 },
    [answer(null, null, 2)],
    /\$0\.40 of \$0\.70/,
  ],
  ['and enough is left', { budget: 0.8, costPerRun: 0.2 }, [answer(null, null, 2)], null],
] as const)('%s', (_, limits, answers, told) => {
  const said = explainOverBudget(answers, { ...noLimits, ...limits })
  if (told === null) expect(said).toBeNull()
  else expect(said).toMatch(told)
})

test('an estimate grows with cases and questions, by the prices of the model that is named; an unknown one has none', async () => {
  const size = { cases: 10, answers: 1, characters: 8000 }
  const sonnet = await estimateDrafts({ name: 'anthropic', model: 'sonnet' }, size)
  const opus = await estimateDrafts({ name: 'claude-code', model: 'opus' }, size)
  expect([sonnet.tokens, opus.tokens]).toEqual([8000, 8000])
  expect(opus.usd).toBeGreaterThan(sonnet.usd ?? Number.POSITIVE_INFINITY)
  expect((await estimateDrafts({ name: 'anthropic', model: 'sonnet' }, { ...size, cases: 20 })).usd).toBeGreaterThan(
    sonnet.usd ?? 0,
  )
  for (const [name, model] of [
    ['claude-code', null],
    ['openai', 'mine-7'],
    ['command', null],
  ] as const) {
    expect((await estimateDrafts({ name, model }, size)).usd).toBeNull()
  }
  expect(() => refuseOverBudget(sonnet, { ...noLimits, budgetTokens: 8000 })).not.toThrow()
  expect(() => refuseOverBudget(sonnet, { ...noLimits, budgetTokens: 7999 })).toThrow(
    '--budget-tokens: the cases take about 8,000',
  )
})

const evals = [{ id: 1, prompt: 'p', expectations: ['e'], files: ['evals/files/a.txt'], review: 'draft' }]
const suite = { skill_name: 'tidy', evals }
const files = [
  { path: 'evals/files/a.txt', content: 'a' },
  { path: 'evals/files/b/c.txt', content: 'c' },
]

function place() {
  const root = mkdtempSync(path.join(tmpdir(), 'drafts-'))
  const at = (name: string) => path.join(root, name)
  mkdirSync(at('evals/files/b'), { recursive: true })
  return { root, at, file: at('evals/evals.json') }
}

test('all of it', async () => {
  const { root, at, file } = place()
  await writeDrafts({ file, root, suite }, files)
  expect(readFileSync(at('evals/files/b/c.txt'), 'utf8')).toBe('c')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(suite)
})

test.each(['evals/files/b/c.txt', 'evals/evals.json'])('nothing of it where %s came to be there', async (name) => {
  const { root, at, file } = place()
  writeFileSync(at(name), 'mine')
  await expect(writeDrafts({ file, root, suite }, files)).rejects.toThrow('nothing was written')
  expect(readFileSync(at(name), 'utf8')).toBe('mine')
  expect(existsSync(at('evals/files/a.txt'))).toBe(false)
  expect(existsSync(file)).toBe(name === 'evals/evals.json')
})
