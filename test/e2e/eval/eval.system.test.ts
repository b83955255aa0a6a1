/** eval: a verdict a case, exit codes, several suites at once, what is kept and reported; on command agents and judges. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { evalReport } from '../../../schemas/eval_report.ts'
import { evalResult } from '../../../schemas/eval_result.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const judge = (name: string) =>
  `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges', name)}`
const check = (value: string) => ({ checks: [{ type: 'contains', value }] })
const pass = { id: 1, name: 'goes well', prompt: 'tidy', checks: [{ type: 'file_absent', path: 'nothing.txt' }] }
const fail = { id: 2, name: 'goes ill', prompt: 'tidy', ...check('no agent says this') }
const stuck = { id: 3, name: 'cannot', prompt: 'tidy', files: ['evals/gone.csv'], ...check('x') }
const asked = { id: 4, name: 'asked', prompt: 'tidy', expectations: ['it is tidy'] }

async function evaluated(evals: readonly object[], flags: readonly string[] = []) {
  const workspace = path.join(fresh(), 'ws')
  const place = ['--engine', tidyAgent, '--workspace', workspace, '--sandbox', 'off']
  const end = await runMain(['eval', makeSkill(evals), ...flags, ...place])
  const made = path.join(workspace, 'evals')
  const folder = path.join(made, existsSync(made) ? (readdirSync(made)[0] ?? '') : '')
  return {
    end,
    folder,
    result: () => evalResult.parse(JSON.parse(readFileSync(path.join(folder, 'eval.json'), 'utf8'))),
  }
}

test('one could not be judged, which wins: a line a case, the sums, reports of every kind, and that only one arm is run', async () => {
  const out = fresh()
  const to = (name: string) => path.join(out, name)
  const reporter = `junit:${to('r.xml')},markdown:${to('r.md')},json:${to('all.json')}`
  const { end, folder, result } = await evaluated(
    [pass, fail, stuck],
    ['--report', '-o', to('r.json'), '--reporter', reporter],
  )
  expect(end.code, end.stderr).toBe(3)
  expect(end.stdout).toMatch(/^pass +goes well/m)
  expect(end.stdout).toMatch(/^FAIL +goes ill/m)
  expect(end.stdout).toContain('no agent says this')
  expect(end.stdout).toMatch(/^skip +cannot[\s\S]*no such file/m)
  expect(end.stdout).toContain('1 of 3 passed, 1 failed, 1 skipped')
  expect(end.stderr).toContain("eval runs the skill's arm only")
  expect(result()).toMatchObject({ format: 'evals.json', summary: { total: 3, passed: 1, pass_rate: 0.5 } })
  expect(existsSync(path.join(folder, 'eval-1-goes-well/subject/run-1/transcript.md'))).toBe(true)
  expect(existsSync(path.join(folder, 'eval-1-goes-well/subject/run-1/work'))).toBe(false)
  const read = (name: string) => readFileSync(to(name), 'utf8')
  const report = evalReport.parse(JSON.parse(read('r.json')))
  expect(report.cases.map(({ verdict }) => verdict)).toEqual(['PASS', 'FAIL', 'SKIP'])
  expect(read('r.xml')).toMatch(/tests="3" failures="1" errors="0" skipped="1"/)
  expect(read('r.md')).toContain('| fail | goes ill |')
  expect(JSON.parse(read('all.json'))).toMatchObject([{ summary: { total: 3 } }])
})

test('a judge that answers nonsense skips the case; one that is content passes it', async () => {
  const nonsense = await evaluated([asked], ['--judge', 'command:echo nonsense'])
  expect(nonsense.end.code).toBe(3)
  const reason = expect.stringContaining('judge error')
  expect(nonsense.result().cases).toMatchObject([{ verdict: 'skip', reason }])
  const content = await evaluated([asked], ['--judge', judge('lenient.mjs')])
  expect(content.end, content.end.stderr).toMatchObject({ code: 0 })
  expect(content.result().cases).toMatchObject([{ verdict: 'pass', judge: { result: 'pass' } }])
})

test('an agent that does not end in time has failed', async () => {
  const engine = ['--engine', 'command:sleep 30', '--timeout', '1', '--sandbox', 'off']
  const end = await runMain(['eval', makeSkill([pass]), ...engine, '--workspace', path.join(fresh(), 'ws')])
  expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining('the agent did not end within 1 s') })
})

test('cases by name; --summary-only says the sums alone; --json is one result line at the end; --keep keeps the working folder', async () => {
  const one = await evaluated([pass, fail], ['goes ill', '--summary-only'])
  expect(one.end.stdout).not.toContain('goes ill')
  expect(one.end.stdout).toContain('0 of 1 passed')
  const { end, folder } = await evaluated([pass, fail], ['--json', '--keep'])
  const last = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ type: 'result', exit_code: 1, summary: { passed: 1, failed: 1 } })
  expect(last.suites[0].cases.map((one: { verdict: string }) => one.verdict)).toEqual(['pass', 'fail'])
  expect(existsSync(path.join(folder, 'eval-1-goes-well/subject/run-1/work/.claude/skills/tidy/SKILL.md'))).toBe(true)
})

test.each([
  [['--target', 'tidy'], 'expected skill:'],
  [['--all', '--category', 'x'], '--all with --category'],
  [['--case=goes well'], 'after the path: whetstone eval <path> goes well'],
  [['-o', 'x.json'], '--output without --report'],
  [['--format', 'evals.jsn'], 'did you mean "evals.json'],
])('a wish that means nothing: %j', async (flags, message) => {
  const { end } = await evaluated([pass, fail], flags)
  expect(end, end.stderr).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})

test('of several suites below a folder each is run; a broken one stops no other and is said', async () => {
  const root = fresh()
  for (const [name, text] of [
    ['a', JSON.stringify({ skill_name: 'a', evals: [pass] })],
    ['b', '{'],
    ['c', JSON.stringify({ skill_name: 'c', evals: [fail] })],
  ] as const) {
    mkdirSync(path.join(root, name, 'evals'), { recursive: true })
    writeFileSync(path.join(root, name, 'SKILL.md'), `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo.\n`)
    writeFileSync(path.join(root, name, 'evals/evals.json'), text)
  }
  const end = await runMain(['eval', root, '--engine', tidyAgent, '--sandbox', 'off'])
  expect(end.code).toBe(3)
  expect(end.stdout).toContain('1 of 2 passed, 1 failed, 1 suite not run')
  expect(end.stdout).toMatch(/not valid JSON.*b\/evals\/evals\.json:1:2/)
  const none = await runMain(['eval', fresh()])
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('add one: evals/evals.json') })
})
