/** EVAL.md, its sidecars and @eval blocks end to end on the SDK engine: verdicts, what is cached, what runs again. */
import { describe, expect, test } from 'vitest'
import { practisedHere } from '../../e2e/eval/aam.ts'
import { copyOf } from '../../e2e/practised.ts'

const all = {
  'greets the user by name': 'pass',
  'handles a missing name': 'pass',
  'explains a slug': 'pass',
  'writes a title': 'pass',
}
const cached = Object.fromEntries(Object.keys(all).map((name) => [name, 'cached']))

describe('the example', () => {
  test('passes: skill, sidecar with a tool, @eval with a system prompt', async () => {
    const ran = await practisedHere(copyOf('example-eval-md'))
    expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 })
    expect(ran.verdicts).toEqual(all)
    expect(ran.asked).toEqual(
      expect.arrayContaining(['reads the skill', 'writes a title', 'looks it up', 'judge passes']),
    )
    expect(
      ran.suites.map((one: { format: string; timeout_seconds: number }) => [one.format, one.timeout_seconds]),
    ).toEqual([
      ['eval.md', 30],
      ['eval.md', 30],
      ['eval-comment', 30],
    ])
  })
  test('loads the skill and shows the code, read-only and without its evals; natural only offers the skill', async () => {
    const copy = copyOf('example-eval-md')
    copy.change('package.json', null, '{}')
    copy.change('slugs.js', null, "import './words.js'\nexport const slug = 1\n")
    copy.change(
      'words.js',
      null,
      '/** @eval\n * ## x\n * ### Prompt\n * x\n * ### Expect\n * HIDDEN */\nexport const words = 2\n',
    )
    copy.change(
      'practice.yaml',
      `printf '%s' {{quote title}} | tr 'A-Z ' 'a-z-'`,
      'cat slugs.js words.js; echo 3 > slugs.js; ls -l slugs.js; echo old-harbours',
    )
    const ran = await practisedHere(copy, ['greets*', 'explains*'])
    expect(ran.verdicts).toEqual({ 'greets the user by name': 'pass', 'explains a slug': 'pass' })
    expect(ran.log).toContain('The skill greeter is loaded. Its instructions:')
    expect(ran.log).toContain('export const words = 2')
    expect(ran.log).toMatch(/-r--r--r--/)
    expect(ran.log).not.toContain('HIDDEN')
    expect(ran.suites[0]?.activation).toBe('loaded')
    const natural = await practisedHere(copy, ['greets*', '--activation', 'natural'])
    expect(natural.log).not.toContain('is loaded')
    expect(natural.suites[0]?.activation).toBe('natural')
  })
  test('negative control: without its system prompt the title fails, with the reason of the judge', async () => {
    const copy = copyOf('example-eval-md')
    copy.change('title.ts', 'You write titles.', 'You are quiet.')
    const ran = await practisedHere(copy, ['writes a title'])
    expect(ran.end.code).toBe(1)
    expect(ran.cases).toMatchObject([
      { verdict: 'fail', judge: { result: 'fail', reason: expect.stringContaining('VERDICT: FAIL') } },
    ])
  })
  test('a pass with a warning says it; a judge without a verdict fails, and no fail is taken from the cache', async () => {
    const copy = copyOf('example-eval-md')
    copy.change('practice.yaml', 'VERDICT: PASS\n', 'VERDICT: PASS\n      WARNING: rather short\n')
    copy.change('practice.yaml', 'VERDICT: FAIL', 'Hm.')
    copy.change('greeter/EVAL.md', '`Hello`', '`Bonjour`')
    const flags = ['--target', 'skill:greeter']
    const ran = await practisedHere(copy, flags)
    expect(ran.cases).toMatchObject([
      { verdict: 'pass', warnings: ['rather short'] },
      { verdict: 'fail', reason: expect.stringContaining('no verdict') },
    ])
    expect(Object.values((await practisedHere(copy, flags)).verdicts)).toEqual(['cached', 'fail'])
  })
})

test('the cache takes what passed, asks nobody, and costs nothing; a change of the system prompt asks its case again', async () => {
  const copy = copyOf('example-eval-md')
  await practisedHere(copy)
  const again = await practisedHere(copy)
  expect([again.verdicts, again.asked, again.end.code]).toEqual([cached, [], 0])
  expect(again.cases[0]).toMatchObject({ cost_usd: 0, checks: [], run: null })
  expect((await practisedHere(copy, ['--no-cache'])).verdicts).toEqual(all)
  copy.change('title.ts', 'title alone', 'title only')
  expect((await practisedHere(copy)).verdicts).toEqual({ ...cached, 'writes a title': 'pass' })
})
