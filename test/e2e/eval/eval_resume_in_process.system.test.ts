/** An eval that ended early goes on: what ended for good is kept and not paid again, and nothing is written twice. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { copyOf } from '../practised.ts'
import { fresh, makeSkill } from '../program.ts'
import { practisedHere } from './aam.ts'
import { resumeStage, sixCases } from './resume_stage.ts'

/** Ended by a server that fails after so many requests. */
const cutAfter = (requests: number) => ({ scenario: { faults: [{ status: 500, after: requests }] } })

describe('infrastructure kept it from an end', () => {
  test('what is missing is made, in the same folder, and nothing else', async () => {
    const { ran, folders } = resumeStage()
    const cut = await ran(cutAfter(4))
    expect(cut.end.code).toBe(3)
    expect(cut.result.summary).toMatchObject({ passed: 4, skipped: 2 })
    const again = await ran()
    expect(again.end.code, again.end.stderr).toBe(0)
    expect([again.asked, folders().length]).toEqual([2, 1])
    expect(again.result.summary.passed).toBe(6)
  })
  test('control: --fresh begins anew, and the unfinished one stays as it is', async () => {
    const { ran, folders } = resumeStage()
    await ran(cutAfter(2))
    const anew = await ran({ args: ['--fresh'] })
    expect([anew.asked, folders().length, anew.planned.done]).toEqual([6, 2, 0])
  })
  test('what is damaged by then is made again, alone', async () => {
    const { ran, folders } = resumeStage()
    await ran(cutAfter(4))
    const record = path.join(folders()[0] ?? '', 'eval-1-one/subject/run-1/run.json')
    writeFileSync(record, readFileSync(record, 'utf8').slice(0, 100))
    const again = await ran()
    expect(again.end.code, again.end.stderr).toBe(0)
    expect(again.asked).toBe(3)
    expect(again.end.stdout).toContain('"artefact_damaged"')
    expect(again.result.summary.passed).toBe(6)
  })
  test('a change of the criteria judges the runs anew and makes none again', async () => {
    const { ran, skill, folders } = resumeStage()
    await ran(cutAfter(4))
    const evals = JSON.stringify({ skill_name: 'tidy', evals: sixCases('UNTIDY') })
    writeFileSync(path.join(skill, 'evals/evals.json'), evals)
    const again = await ran()
    expect(again.end.code).toBe(1)
    expect(again.result.summary).toMatchObject({ failed: 6 })
    expect([again.asked, folders().length]).toEqual([2, 1])
  })
  test('a change of what is under test begins anew', async () => {
    const { ran, skill, folders } = resumeStage()
    await ran(cutAfter(4))
    writeFileSync(path.join(skill, 'SKILL.md'), '---\nname: tidy\ndescription: Another.\n---\n\nSay TIDY.\n')
    expect([(await ran()).asked, folders().length]).toEqual([6, 2])
  })
})

test('a limit that ended it: what was spent before counts no more, what was made does', async () => {
  const { ran } = resumeStage()
  const cut = await ran({ args: ['--budget', '0.001', '--cost-per-run', '0.0005'] })
  expect(cut.end.code).toBe(3)
  expect(cut.result.summary.skipped).toBeGreaterThan(0)
  const again = await ran()
  expect(again.end.code, again.end.stderr).toBe(0)
  expect(cut.asked + again.asked).toBe(6)
})

describe('a judge that could not say', () => {
  test('is asked again, without a run', async () => {
    const skill = makeSkill([{ id: 1, name: 'one', prompt: 'say it', expectations: ['says TIDY'] }])
    const mood = path.join(fresh(), 'mood.mjs')
    writeFileSync(mood, 'process.exit(1)\n')
    const workspace = path.join(fresh(), 'ws')
    const count = path.join(fresh(), 'count')
    const agent = `command:sh -c "echo x >> ${count}; echo TIDY"`
    const args = ['eval', skill, '--workspace', workspace, '--engine', agent, '--judge', `command:node ${mood}`]
    const run = () => runMain([...args, '--retries', '0', '--sandbox', 'off'])
    const cut = await run()
    expect(cut.code, cut.stderr).toBe(3)
    expect(cut.stdout).toContain('continue with the same command')
    writeFileSync(mood, 'console.log(JSON.stringify({ verdicts: [{ n: 1, passed: true, evidence: "\\"TIDY\\"" }] }))\n')
    const again = await run()
    expect(again.code, again.stdout + again.stderr).toBe(0)
    expect(again.stdout).not.toContain('continue with the same command')
    expect(readFileSync(count, 'utf8')).toBe('x\n')
  })
})

describe('golden tests', () => {
  const runs = 'ledger/evals/runs'
  const logged = (copy: ReturnType<typeof copyOf>) => {
    const log = readdirSync(path.join(copy.folder, runs)).find((name) => /^\d{4}-.*\.jsonl$/.test(name)) ?? ''
    const lines = copy.read(path.join(runs, log)).trim().split('\n')
    return lines.map((line) => JSON.parse(line)).map(({ test_id, verdict }) => [test_id, verdict])
  }
  test('a line and a response once for each run, however often it went on', async () => {
    const copy = copyOf('example-golden')
    const judge = copy.read('practice.yaml')
    copy.change('practice.yaml', '{"persona_fidelity"', 'Well: {"persona_fidelity"')
    const cut = await practisedHere(copy)
    expect(cut.end.code, cut.end.stderr).toBe(3)
    const before = logged(copy)
    const stillCut = await practisedHere(copy)
    expect(stillCut.end.code).toBe(3)
    expect(logged(copy)).toEqual(before)
    copy.change('practice.yaml', null, judge)
    const again = await practisedHere(copy)
    expect(again.end.code, again.end.stderr).toBe(0)
    const failed = before.filter(([, verdict]) => verdict === 'judge_error')
    expect(failed.length).toBeGreaterThan(0)
    expect(logged(copy)).toEqual([...before, ...failed.map(([name]) => [name, 'pass'])])
    expect(readdirSync(path.join(copy.folder, runs, 'responses'))).toHaveLength(2)
    expect(again.suites[0].golden.lines).toHaveLength(2)
    expect(readdirSync(path.join(copy.workspace, 'evals'))).toHaveLength(1)
  })
  test('an agent that crashed has failed for good: it is not run again beside one that was skipped', async () => {
    const copy = copyOf('example-golden')
    copy.change('practice.yaml', '{"persona_fidelity"', 'Well: {"persona_fidelity"')
    const count = path.join(fresh(), 'count')
    const worker = path.join(fresh(), 'worker.mjs')
    const lines = [
      "import { appendFileSync, readFileSync } from 'node:fs'",
      "const crashes = readFileSync(0, 'utf8').includes('landlord')",
      `appendFileSync(${JSON.stringify(count)}, crashes ? 'c' : 'a')`,
      'if (crashes) process.exit(3)',
      "console.log('1,240.50 since January')",
    ]
    writeFileSync(worker, lines.join('\n'))
    const flags = ['--engine', `command:node ${worker}`, '--judge', 'anthropic:practice-1']
    const run = () => practisedHere(copy, [...flags, '--retries', '0'])
    const cut = await run()
    expect(cut.verdicts, cut.end.stderr).toEqual({ '001_transfer': 'fail', '001_rent': 'skip' })
    expect((await run()).verdicts).toEqual(cut.verdicts)
    expect(readFileSync(count, 'utf8').split('').sort().join('')).toBe('ac')
    // control: where everything is new both are asked
    await practisedHere(copy, [...flags, '--retries', '0', '--fresh'])
    expect(readFileSync(count, 'utf8')).toHaveLength(4)
  })
})

test('the audit sample of a golden eval that goes on holds no verdict twice', async () => {
  const copy = copyOf('example-golden')
  const down = "rules:\n  - { name: is down, when: { user: '^Send the landlord' }, fault: { status: 500 } }\n"
  copy.change('practice.yaml', 'rules:\n', down)
  const run = () => practisedHere(copy, ['--retries', '0'])
  expect((await run()).verdicts).toEqual({ '001_transfer': 'skip', '001_rent': 'pass' })
  const sample = copy.read('ledger/evals/runs/audit_log.jsonl')
  expect((await run()).verdicts).toEqual({ '001_transfer': 'skip', '001_rent': 'pass' })
  expect(copy.read('ledger/evals/runs/audit_log.jsonl')).toBe(sample)
})

test('EVAL.md: what passed before the end is kept, and remembered later', async () => {
  const copy = copyOf('example-eval-md')
  const scenario = copy.read('practice.yaml')
  copy.change(
    'practice.yaml',
    'rules:\n',
    "rules:\n  - { name: is down, when: { user: '^Hello there' }, fault: { status: 500 } }\n",
  )
  const flags = ['--target', 'skill:greeter', '--retries', '0']
  const cut = await practisedHere(copy, flags)
  expect(Object.values(cut.verdicts), cut.end.stderr).toEqual(['pass', 'skip'])
  copy.change('practice.yaml', null, scenario)
  const again = await practisedHere(copy, flags)
  expect(Object.values(again.verdicts), again.end.stderr).toEqual(['pass', 'pass'])
  expect([
    again.asked.filter((rule) => rule === 'greets by name'),
    cut.asked.filter((rule) => rule === 'greets by name'),
  ]).toEqual([[], ['greets by name']])
  expect(again.cases[0]).toMatchObject({ run: expect.any(String), cost_usd: null })
  expect(readdirSync(path.join(copy.workspace, 'evals'))).toHaveLength(1)
  expect(Object.values((await practisedHere(copy, flags)).verdicts)).toEqual(['cached', 'cached'])
  // a stored pass quotes the answer, so it is neither used nor kept without transcripts
  expect(Object.values((await practisedHere(copy, [...flags, '--no-transcripts'])).verdicts)).toEqual(['pass', 'pass'])
})
