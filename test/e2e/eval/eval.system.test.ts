/** eval: a verdict a case, exit codes, several suites at once, what is kept and reported; on command agents and judges. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
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

describe('exit codes', () => {
  test.each([
    ['all pass', [pass], 0],
    ['one fails', [pass, fail], 1],
    ['one could not be judged, which wins', [pass, fail, stuck], 3],
  ])('%s', async (_, evals, code) => {
    const { end } = await evaluated(evals)
    expect(end, end.stderr).toMatchObject({ code })
  })
  test('a judge that answers nonsense skips the case', async () => {
    const { end, result } = await evaluated([asked], ['--judge', 'command:echo nonsense'])
    expect(end.code).toBe(3)
    expect(result().cases).toMatchObject([{ verdict: 'skip', reason: expect.stringContaining('judge error') }])
  })
  test('a judge that is content passes it', async () => {
    const { end, result } = await evaluated([asked], ['--judge', judge('lenient.mjs')])
    expect(end, end.stderr).toMatchObject({ code: 0 })
    expect(result().cases).toMatchObject([{ verdict: 'pass', judge: { result: 'pass' } }])
  })
  test('an agent that does not end in time has failed', async () => {
    const skill = makeSkill([pass])
    const workspace = path.join(fresh(), 'ws')
    const engine = ['--engine', 'command:sleep 30', '--timeout', '1', '--sandbox', 'off']
    const end = await runMain(['eval', skill, ...engine, '--workspace', workspace])
    expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining('the agent did not end within 1 s') })
  })
})

describe('what is said and kept', () => {
  test('a line a case, the sums, and that only one arm is run', async () => {
    const { end, folder, result } = await evaluated([pass, fail, stuck])
    expect(end.stdout).toMatch(/^pass +goes well/m)
    expect(end.stdout).toMatch(/^FAIL +goes ill/m)
    expect(end.stdout).toContain('no agent says this')
    expect(end.stdout).toMatch(/^skip +cannot[\s\S]*no such file/m)
    expect(end.stdout).toContain('1 of 3 passed, 1 failed, 1 skipped')
    expect(end.stderr).toContain("eval runs the skill's arm only")
    expect(result()).toMatchObject({ format: 'evals.json', summary: { total: 3, passed: 1, pass_rate: 0.5 } })
    expect(existsSync(path.join(folder, 'eval-1-goes-well/subject/run-1/transcript.md'))).toBe(true)
    expect(existsSync(path.join(folder, 'eval-1-goes-well/subject/run-1/work'))).toBe(false)
  })
  test('--summary-only says the sums alone', async () => {
    const { end } = await evaluated([pass, fail], ['--summary-only'])
    expect(end.stdout).not.toContain('goes ill')
    expect(end.stdout).toContain('1 of 2 passed')
  })
  test('--json is one result line at the end', async () => {
    const { end } = await evaluated([pass, fail], ['--json'])
    const last = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
    expect(last).toMatchObject({ type: 'result', exit_code: 1, summary: { passed: 1, failed: 1 } })
    expect(last.suites[0].cases.map((one: { verdict: string }) => one.verdict)).toEqual(['pass', 'fail'])
  })
  test('--keep keeps the working folder', async () => {
    const { folder } = await evaluated([pass], ['--keep'])
    expect(existsSync(path.join(folder, 'eval-1-goes-well/subject/run-1/work/.claude/skills/tidy/SKILL.md'))).toBe(true)
  })
  test('--report -o writes a report, --reporter junit, markdown and json the same verdicts', async () => {
    const out = fresh()
    const to = (name: string) => path.join(out, name)
    const reporter = `junit:${to('r.xml')},markdown:${to('r.md')},json:${to('all.json')}`
    await evaluated([pass, fail, stuck], ['--report', '-o', to('r.json'), '--reporter', reporter])
    const read = (name: string) => readFileSync(to(name), 'utf8')
    const report = evalReport.parse(JSON.parse(read('r.json')))
    expect(report.cases.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['goes well', 'PASS'],
      ['goes ill', 'FAIL'],
      ['cannot', 'SKIP'],
    ])
    expect(report.cases[1]?.deterministic_checks).toEqual({ contains: 'FAIL' })
    expect(read('r.xml')).toMatch(/tests="3" failures="1" errors="0" skipped="1"/)
    expect(read('r.md')).toContain('| fail | goes ill |')
    expect(JSON.parse(read('all.json'))).toMatchObject([{ summary: { total: 3 } }])
  })
})

describe('choosing', () => {
  test('cases by name; a flag of the suite is not needed', async () => {
    const { result } = await evaluated([pass, fail], ['goes well'])
    expect(result().cases.map((one) => one.eval_name)).toEqual(['goes well'])
  })
  test.each([
    [['nowhere'], 'no such case'],
    [['--target', 'tidy'], 'expected skill:'],
    [['--all', '--category', 'x'], '--all with --category'],
    [['--case', 'goes well'], 'eval has no --case'],
    [['--case=goes well'], 'after the path: whetstone eval <path> goes well'],
    [['-o', 'x.json'], '--output without --report'],
    [['--format', 'evals.jsn'], 'did you mean "evals.json'],
  ])('a wish that means nothing: %j', async (flags, message) => {
    const { end } = await evaluated([pass, fail], flags)
    expect(end, end.stderr).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })
})

describe('several suites below a folder', () => {
  /** Three skills; the second suite is broken. */
  const tree = () => {
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
    return root
  }
  test('each is run; a broken one stops no other and is said', async () => {
    const end = await runMain(['eval', tree(), '--engine', tidyAgent, '--sandbox', 'off'])
    expect(end.code).toBe(3)
    expect(end.stdout).toContain('1 of 2 passed, 1 failed, 1 suite not run')
    expect(end.stdout).toMatch(/not valid JSON.*b\/evals\/evals\.json:1:2/)
  })
  test('a place without any says what was looked for', async () => {
    const end = await runMain(['eval', fresh()])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('add one: evals/evals.json') })
  })
})
