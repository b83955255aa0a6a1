/** whetstone/vitest: a real Vitest over a project of its own, which finds the package by its name. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { evalResult } from '../../schemas/eval_result.ts'
import { plan as planSchema } from '../../schemas/plan.ts'
import { folderOf } from '../store/folder_of.ts'

const root = path.dirname(path.dirname(import.meta.dirname))
const skill = '---\nname: greeter\ndescription: Greets.\n---\nGreet.\n'
const evalMd = `## good
### Prompt
Hi
### Expect
It greets.
## bad
### Prompt
Hi
### Expect
It sings.
## flawed
### Prompt
Hi
### Expect
It greets warmly.
## not here
### Prompt
Hi
`
/** A judge that goes by the rubric alone. */
const judge = `let text = ''
process.stdin.on('data', (part) => { text += part })
process.stdin.on('end', () => {
  const asked = text.includes('It sings') ? 'VERDICT: FAIL\\nIt does not sing.' : 'VERDICT: PASS'
  console.log(text.includes('warmly') ? asked + '\\nWARNING: a little terse' : asked)
})
`
const elixir = '---\ntools: SkillKit.Tools.Webhook\n---\n## elsewhere\n### Prompt\nHi\n### Expect\nx\n'

/** What the project's test file calls, each call under a name of its own. */
const testFile = `import { describe } from 'vitest'
import { evalSuite } from 'whetstone/vitest'
const judge = 'command:' + process.execPath + ' ' + process.cwd() + '/judge.mjs'
const one = { cases: ['good'], workspace: 'other' }
describe('all', () => evalSuite('skills', { engine: 'command:echo Hello!', judge }))
describe('no credentials', () => evalSuite('skills', { ...one, engine: 'anthropic', judge: 'anthropic' }))
describe('slow', () =>
  evalSuite('skills', { ...one, engine: 'command:sleep 20', timeoutSeconds: 1, retries: 0, judge: 'command:true' }))
describe('no place', () => evalSuite())
describe('a slip', () => evalSuite('skills', { timeout: 60 }))
describe('the most', () => evalSuite('skills', { ...one, timeoutSeconds: 604800, retries: 100, engine: 'command:echo Hello!', judge }))
describe('nothing there', () => evalSuite('nowhere'))
describe('a format of a feature', () => evalSuite('plugin', { engine: 'command:echo Hello!', judge }))
`

interface Outcome {
  ancestorTitles: string[]
  title: string
  status: string
  failureMessages: string[]
  meta: unknown
}

async function run() {
  const folder = folderOf({
    'skills/greeter/SKILL.md': skill,
    'skills/greeter/EVAL.md': evalMd,
    'skills/broken/EVAL.md': '---\nmodel: [\n---\n## a\n### Prompt\nx\n### Expect\ny\n',
    'skills/other/x.eval.md': elixir,
    'skills/report/EVAL.md': '# A report\n',
    'plugin/evals/one/prompt.md': 'Hi',
    'plugin/evals/one/graders/greets.md': '---\ntype: regex\n---\n\nHello\n',
    'judge.mjs': judge,
    'package.json': '{"type":"module"}',
    'evals.test.js': testFile,
  })
  mkdirSync(path.join(folder, 'node_modules'))
  symlinkSync(root, path.join(folder, 'node_modules/whetstone'))
  symlinkSync(path.join(root, 'node_modules/vitest'), path.join(folder, 'node_modules/vitest'))
  const bin = path.join(root, 'node_modules/vitest/vitest.mjs')
  const args = [bin, 'run', '--reporter=json', '--reporter=default', '--outputFile=out.json', '--root', folder]
  const { VITEST: _, VITEST_WORKER_ID: __, VITEST_POOL_ID: ___, ...outer } = process.env
  const none = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '' }
  const end = await promisify(execFile)(process.execPath, args, { cwd: folder, env: { ...outer, ...none } }).then(
    ({ stdout, stderr }) => ({ code: 0, shown: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => {
      return { code: error.code, shown: error.stdout + error.stderr }
    },
  )
  const out = JSON.parse(readFileSync(path.join(folder, 'out.json'), 'utf8'))
  const outcomes: Outcome[] = out.testResults[0].assertionResults
  /** The tests of one call. */
  const of = (call: string) => outcomes.filter(({ ancestorTitles }) => ancestorTitles[0] === call)
  return { end, folder, of, by: (call: string, title: string) => of(call).find((one) => one.title.includes(title)) }
}

describe('evalSuite', () => {
  let ran: Awaited<ReturnType<typeof run>>
  beforeAll(async () => {
    ran = await run()
  })

  test('is a test a case: pass, fail with the reason and the place, skip, a malformed file', () => {
    const { end, folder, by, of } = ran
    expect(end.code, end.shown).toBe(1)
    expect(of('all').map(({ title, status }) => [title, status])).toEqual([
      ['skills/broken/EVAL.md can be read', 'failed'],
      ['good', 'passed'],
      ['bad', 'failed'],
      ['flawed', 'passed'],
      ['not here', 'failed'],
      ['elsewhere', 'skipped'],
    ])
    const [message = ''] = by('all', 'bad')?.failureMessages ?? []
    expect(message).toContain('It does not sing.')
    const place = /what the agent did: (\S+)/.exec(message)?.[1] ?? ''
    expect(readFileSync(place, 'utf8')).toContain('Hello!')
    const evals = path.join(folder, 'workspaces/greeter/evals')
    const [made = '', ...others] = readdirSync(evals)
    expect(others).toEqual([])
    expect(place).toContain(path.join(evals, made))
    const result = evalResult.parse(JSON.parse(readFileSync(path.join(evals, made, 'eval.json'), 'utf8')))
    expect(result.cases.map(({ eval_name, verdict }) => [eval_name, verdict])).toEqual([
      ['good', 'pass'],
      ['bad', 'fail'],
      ['flawed', 'pass'],
    ])
    const plan = planSchema.parse(JSON.parse(readFileSync(path.join(evals, made, 'plan.json'), 'utf8')))
    expect(plan.runs.map(({ run_id }) => existsSync(path.join(evals, made, run_id, 'run.json')))).toEqual([
      ...[true, true, true],
    ])
    expect(by('all', 'can be read')?.failureMessages[0]).toMatch(/EVAL\.md:2:\d+: the frontmatter is not valid YAML/)
    expect(end.shown).toContain('the frontmatter is not valid YAML')
    expect(end.shown).not.toMatch(/Caused by|load_suite/) // no stack for a mistake in a file
    expect(by('all', 'not here')?.failureMessages[0]).toMatch(/EVAL\.md:16:1: the case has no Expect/)
    expect(by('all', 'flawed')?.meta).toMatchObject({ whetstone: { warnings: ['a little terse'], cached: false } })
  })
  test('a suite in the format of a feature is read', () => {
    expect(ran.of('a format of a feature').map(({ title, status }) => [title, status])).toEqual([['one', 'passed']])
  })
  test('without credentials a case is skipped', () => expect(ran.by('no credentials', 'good')?.status).toBe('skipped'))
  test('an agent that takes too long fails its case', () =>
    expect(ran.by('slow', 'good')?.failureMessages[0]).toContain('did not end within 1 s'))
  test('slips in its arguments and a place without suites are failing tests; what holds goes on', () => {
    const said = (call: string) => ran.of(call).map(({ failureMessages: [first = ''] }) => first.split('\n')[0])
    expect(said('no place')).toEqual(['Error: evalSuite: the first argument must be a path of suites'])
    expect(said('a slip')).toEqual(['Error: evalSuite: unknown option "timeout" (did you mean "timeoutSeconds"?)'])
    expect(said('nothing there')).toEqual([expect.stringContaining('no such file')])
    expect(ran.by('the most', 'good')?.status).toBe('passed')
  })
})
