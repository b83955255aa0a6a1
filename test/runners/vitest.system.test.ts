/** whetstone/vitest: a real Vitest over a project of its own, which finds the package by its name. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { evalResult } from '../../schemas/eval_result.ts'
import { plan as planSchema } from '../../schemas/plan.ts'
import { folderOf } from '../phases/1-plan/folder.ts'

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

interface Outcome {
  title: string
  status: string
  failureMessages: string[]
  meta: unknown
}

async function run(testFile: string, env: Record<string, string> = {}) {
  const files = {
    'skills/greeter/SKILL.md': skill,
    'skills/greeter/EVAL.md': evalMd,
    'skills/broken/EVAL.md': '---\nmodel: [\n---\n## a\n### Prompt\nx\n### Expect\ny\n',
    'skills/other/x.eval.md': elixir,
    'skills/report/EVAL.md': '# A report\n',
    'judge.mjs': judge,
    'package.json': '{"type":"module"}',
    'evals.test.js': testFile,
  }
  const folder = folderOf(files)
  mkdirSync(path.join(folder, 'node_modules'))
  symlinkSync(root, path.join(folder, 'node_modules/whetstone'))
  symlinkSync(path.join(root, 'node_modules/vitest'), path.join(folder, 'node_modules/vitest'))
  const bin = path.join(root, 'node_modules/vitest/vitest.mjs')
  const args = [bin, 'run', '--reporter=json', '--reporter=default', '--outputFile=out.json', '--root', folder]
  const { VITEST: _, VITEST_WORKER_ID: __, VITEST_POOL_ID: ___, ...outer } = process.env
  const end = await promisify(execFile)(process.execPath, args, { cwd: folder, env: { ...outer, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, shown: stdout + stderr, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => {
      return { code: error.code, shown: error.stdout + error.stderr, stderr: error.stderr }
    },
  )
  const out = JSON.parse(readFileSync(path.join(folder, 'out.json'), 'utf8'))
  const outcomes: Outcome[] = out.testResults[0].assertionResults
  return { end, folder, by: (title: string) => outcomes.find((one) => one.title.includes(title)), outcomes }
}

const evalFile = (options: string) => `import { evalSuite } from 'whetstone/vitest'\nevalSuite('skills', ${options})\n`
const command = `{ engine: 'command:echo Hello!', judge: 'command:' + process.execPath + ' ' + process.cwd() + '/judge.mjs' }`

describe('evalSuite', () => {
  test('is a test a case: pass, fail with the reason and the place, skip, a malformed file', async () => {
    const { end, folder, by, outcomes } = await run(evalFile(command))
    expect(end.code, end.stderr).toBe(1)
    expect(outcomes.map(({ title, status }) => [title, status])).toEqual([
      ['skills/broken/EVAL.md can be read', 'failed'],
      ['good', 'passed'],
      ['bad', 'failed'],
      ['flawed', 'passed'],
      ['not here', 'failed'],
      ['elsewhere', 'skipped'],
    ])
    const [message = ''] = by('bad')?.failureMessages ?? []
    expect(message).toContain('It does not sing.')
    const place = /what the agent did: (\S+)/.exec(message)?.[1] ?? ''
    expect(readFileSync(place, 'utf8')).toContain('Hello!')
    const evals = path.join(folder, 'workspaces/greeter/evals')
    const [made = '', ...others] = readdirSync(evals)
    expect(others).toEqual([])
    const result = evalResult.parse(JSON.parse(readFileSync(path.join(evals, made, 'eval.json'), 'utf8')))
    expect(result.cases.map(({ eval_name, verdict }) => [eval_name, verdict])).toEqual([
      ['good', 'pass'],
      ['bad', 'fail'],
      ['flawed', 'pass'],
    ])
    expect(result.summary).toMatchObject({ total: 3, passed: 2, failed: 1 })
    const plan = planSchema.parse(JSON.parse(readFileSync(path.join(evals, made, 'plan.json'), 'utf8')))
    expect(plan.runs.map(({ run_id }) => existsSync(path.join(evals, made, run_id, 'run.json')))).toEqual([
      ...[true, true, true],
    ])
    expect(place).toContain(path.join(evals, made))
    expect(by('can be read')?.failureMessages[0]).toMatch(/EVAL\.md:2:\d+: the frontmatter is not valid YAML/)
    expect(end.shown).toContain('the frontmatter is not valid YAML')
    expect(end.shown).not.toMatch(/Caused by|load_suite/) // no stack for a mistake in a file
    expect(by('not here')?.failureMessages[0]).toMatch(/EVAL\.md:16: the case has no Expect/)
    expect(by('flawed')?.meta).toMatchObject({ whetstone: { warnings: ['a little terse'], cached: false } })
  })
  test('without credentials every case is skipped, and says what is missing', async () => {
    const none = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '' }
    const { by } = await run(evalFile(`{ engine: 'anthropic', judge: 'anthropic' }`), none)
    expect(by('good')?.status).toBe('skipped')
    expect(by('bad')?.status).toBe('skipped')
  })
  test('an agent that takes too long fails its case', async () => {
    const slow = `{ engine: 'command:sleep 20', timeoutSeconds: 1, retries: 0, cases: ['good'], judge: 'command:true' }`
    const { by } = await run(evalFile(slow))
    expect(by('good')?.failureMessages[0]).toContain('did not end within 1 s')
  })
  test('slips in its arguments are failing tests; what holds goes on', async () => {
    const { outcomes } = await run(`import { evalSuite } from 'whetstone/vitest'
evalSuite()
evalSuite('skills', { timeout: 60 })
evalSuite('skills', { timeoutSeconds: 604800, retries: 100, cases: ['good'], engine: 'command:echo Hello!', judge: 'command:echo VERDICT: PASS' })
`)
    const said = outcomes.map(({ status, failureMessages }) => `${status} ${failureMessages[0]?.split('\n')[0] ?? ''}`)
    expect(said.filter((one) => !one.includes('EVAL.md'))).toEqual([
      'failed Error: evalSuite: the first argument must be a path of suites',
      'failed Error: evalSuite: unknown option "timeout" (did you mean "timeoutSeconds"?)',
      'passed ',
    ])
  })
  test('a place without suites is a failing test', async () => {
    const { outcomes } = await run(`import { evalSuite } from 'whetstone/vitest'\nevalSuite('nowhere')\n`)
    expect(outcomes).toMatchObject([{ status: 'failed', failureMessages: [expect.stringContaining('no such file')] }])
  })
})
