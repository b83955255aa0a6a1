/** The budget of --grow-suite: too small for the drafts it is refused, and where it is spent what was drafted is kept. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { growSuite } from '../../../src/flows/improve/grow_suite.ts'
import { openWorld, type World } from '../../e2e/improve/improving.ts'
import { draft, drafts } from '../../e2e/suites/drafting.ts'
import { contextHere, requestHere, type Wish } from './in_process.ts'

/** Long enough to take more than the estimate. */
const long = Array.from({ length: 10 }, (_, at) => {
  const files = [{ path: `evals/files/page-${at + 1}.txt`, content: `monday ${at} milk\n`.repeat(300) }]
  return draft(at + 1, { files })
})

/** Two answers: ten cases, then the last one. */
const drafter = [long, drafts(1, 11)]
  .map(
    (cases) => `
  - name: drafts ${cases.length}
    when: { tool: '^submit$', user: 'Write ${cases.length} test cases' }
    tool_calls: [{ name: submit, input: ${JSON.stringify({ cases })} }]
`,
  )
  .join('')

const grow = (world: World, wish: Wish) => growSuite(requestHere(world, wish), contextHere(world))
const grown = ({ skill }: World) => path.join(skill, 'evals/evals.grown.json')
const drafted = (world: World): number => JSON.parse(readFileSync(grown(world), 'utf8')).evals.length - 1

test.each([
  [
    'tokens',
    { budgetTokens: 4000 },
    'anthropic:practice-1',
    /^--budget-tokens: the cases take about [\d,]+ tokens, more than 4,000/,
  ],
  ['dollars', { budget: 0.001 }, 'anthropic:opus', /^--budget: the cases take about \$[\d.]+, more than \$0\.0010/],
  [
    'dollars of a model without a price',
    { budget: 5 },
    'anthropic:practice-1',
    /^--budget: the cost of anthropic:practice-1 is unknown/,
  ],
])('too few %s: refused before anybody is asked, and nothing is written', async (_, limits, engine, said) => {
  await using world = await openWorld(drafter, 1)
  await expect(grow(world, { limits, engine })).rejects.toThrow(said)
  expect([world.asked.filter((text) => text.includes('Write')), existsSync(grown(world))]).toEqual([[], false])
})

test('spent after the first answer: its cases are kept, and it says why there are no more', async () => {
  await using world = await openWorld(drafter, 1)
  const whole = await grow(world, { limits: { budgetTokens: 1e9 } })
  expect([whole.missing, drafted(world)]).toEqual([null, 11])
  const all = whole.spent.tokens ?? 0

  await using other = await openWorld(drafter, 1)
  // the second answer is shorter than the first: with one token less than both it may not be asked for
  const made = await grow(other, { limits: { budgetTokens: all - 1 } })
  expect(made.missing).toMatch(
    /^stopped by the budget of tokens: [\d,]+ tokens of [\d,]+ tokens spent, and an answer took up to/,
  )
  expect(drafted(other)).toBe(10)
})
