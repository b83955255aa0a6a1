/** triggers --generate: drafts with near misses, marked for review, that overwrite nothing and are found by nobody. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { envOf, measured, type Query, skillWith, whole, write } from './triggers_stage.ts'

const draft = (query: string, should_trigger: boolean, kind: string) => ({ query, should_trigger, kind, reason: 'so' })
const good = [
  draft('sort my jottings pls', true, 'typical'),
  draft('these scribbles are chaos', true, 'indirect'),
  draft('write a note to my boss', false, 'near_miss'),
  draft('what is 3 times 7', false, 'unrelated'),
]

/** The model's answer, and the one that it gives when it is asked again. */
async function generated([first = [], second = first]: readonly object[][], { skill = skillWith(undefined) } = {}) {
  const call = (queries: object[]) => ({ tool_calls: { name: 'submit', input: { queries } } })
  const rules = [
    { name: 'mends it', when: { tool: '^submit$', user: 'You were asked this before' }, ...call(second) },
    { name: 'drafts', when: { tool: '^submit$' }, ...call(first) },
  ]
  await using server = await startPractice({ scenario: parseScenario(JSON.stringify({ rules }), 'drafts.yaml') })
  const command = ['triggers', skill, '--generate', '4', '--engine', 'anthropic', '--model', 'sonnet']
  const end = await runMain(command, { env: envOf('anthropic', server) })
  const file = path.join(skill, 'evals/trigger-eval.draft.json')
  const made = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
  const asked = server.requests.filter(({ tools }) => tools.includes('submit'))
  return { end, made, file, skill, asked: asked.length, prompt: JSON.stringify(asked[0]?.messages) }
}

test('drafts are written, each marked, and say what to do with them', async () => {
  const { end, made, prompt } = await generated([good])
  expect(end.code, end.stderr).toBe(0)
  expect(made).toEqual(good.map((one) => ({ ...one, review: 'draft' })))
  expect(end.stdout).toContain('near_miss')
  expect(end.stdout).toMatch(/Read each/)
  expect(prompt).toContain('Tidies up messy notes')
})

test('as a set they can be asked once they are named, with a warning; by itself nobody finds them', async () => {
  const { skill, file } = await generated([good])
  const alone = await runMain(['triggers', skill, '--dry-run', '--engine', 'anthropic'])
  expect(alone.stderr).toContain('no trigger queries found')
  const named = await runMain(['triggers', skill, '--set', file, '--dry-run', '--engine', 'anthropic'])
  expect(named.stdout).toContain('4 queries are drafts not reviewed yet')
})

test('a measurement of drafts says so where the numbers are, until they are reviewed', async () => {
  const marked = good.map((one) => ({ ...one, review: 'draft' }))
  const args = ['--runs', '1', '--sandbox', 'off']
  const said = async (set: readonly Query[]) =>
    whole(await measured({ engine: 'anthropic', model: 'keyword', set, args }))
  const drafted = await said([...marked.slice(0, 3), ...good.slice(3)])
  expect(drafted.set.drafts).toBe(3)
  expect(drafted.results.map(({ draft }) => draft === true)).toEqual([true, true, true, false])
  expect(drafted.warnings[0]).toMatch(/^3 of 4 queries were drafted by a model and have not been reviewed/)
  const reviewed = await said(good)
  expect([reviewed.set.drafts, reviewed.warnings, reviewed.results[0]?.draft]).toEqual([0, [], undefined])
})

test('an answer without near misses is sent back once', async () => {
  const bad = good.map((one) => ({ ...one, kind: one.should_trigger ? 'typical' : 'unrelated' }))
  const { made, asked } = await generated([bad, good])
  expect(made.map(({ kind }: { kind: string }) => kind)).toContain('near_miss')
  expect(asked).toBe(2)
  const { end } = await generated([bad])
  expect(end.stdout).toContain('different from the request: only 0 of 2')
})

test('a file that is there is never written over', async () => {
  const skill = skillWith(undefined)
  const file = write(skill, 'evals/trigger-eval.draft.json', '[]')
  const { end, asked } = await generated([good], { skill })
  expect(end.code).toBe(2)
  expect(asked).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe('[]')
})
