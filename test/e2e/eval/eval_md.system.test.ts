/** EVAL.md, its sidecars and @eval blocks end to end on the SDK engine: verdicts, what is cached, what runs again. */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { copyOf } from '../practised.ts'
import { practisedHere } from './aam.ts'

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
  test('a tool of SkillKit that is not here: its cases are skipped, the others run', async () => {
    const copy = copyOf('example-eval-md')
    copy.change('slugs.EVAL.md', 'SkillKit.Tools.Shell', 'SkillKit.Tools.Webhook')
    const ran = await practisedHere(copy)
    expect(ran.end.code).toBe(3)
    expect(ran.verdicts).toEqual({ ...all, 'explains a slug': 'skip' })
    expect(ran.cases).toContainEqual(expect.objectContaining({ reason: expect.stringContaining('not runnable here') }))
  })
  test('--dry-run where no agent can work plans all the same, tools and system prompts too, and says so', async () => {
    const { folder, workspace } = copyOf('example-eval-md')
    const end = await runMain(['eval', folder, '--workspace', workspace, '--dry-run'], {
      env: { PATH: '/nowhere', ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' },
    })
    expect(end, end.stderr).toMatchObject({ code: 2 })
    expect(end.stdout).toContain('explains a slug')
    expect(end.stdout.match(/\w+ activation/g)).toEqual(['loaded activation']) // of the skill's suite alone
    expect(end.stdout).toContain('no engine available')
    expect(existsSync(workspace)).toBe(false)
  })
  test('a broken file, a report and an older form beside them stop nobody', async () => {
    const copy = copyOf('example-eval-md')
    copy.change('a/EVAL.md', null, '---\nmodel: [\n---\n## x\n### Prompt\ny\n### Expect\nz\n')
    copy.change('b/EVAL.md', null, '# Report\n\nAll went well.\n')
    copy.change('c/EVAL.md', null, '---\nname: old\n---\n## Prompt\nHi\n## Expect\nx\n')
    const ran = await practisedHere(copy)
    expect(ran.verdicts).toEqual(all)
    expect(ran.end.code).toBe(3)
    expect(ran.broken).toMatchObject([
      { message: expect.stringMatching(/a\/EVAL\.md:2:\d+: /) },
      { message: expect.stringMatching(/c\/EVAL\.md:2:1: .*second form/) },
    ])
  })
})

describe('the cache', () => {
  test('takes what passed, asks nobody, and costs nothing; a change of the system prompt asks its case again', async () => {
    const copy = copyOf('example-eval-md')
    await practisedHere(copy)
    const again = await practisedHere(copy)
    expect([again.verdicts, again.asked, again.end.code]).toEqual([cached, [], 0])
    expect(again.cases[0]).toMatchObject({ cost_usd: 0, checks: [], run: null })
    expect((await practisedHere(copy, ['--no-cache'])).verdicts).toEqual(all)
    copy.change('title.ts', 'title alone', 'title only')
    expect((await practisedHere(copy)).verdicts).toEqual({ ...cached, 'writes a title': 'pass' })
  })
})
