/** An eval that ended early, was killed or interrupted goes on with the same command: what ended for good is kept and not paid again, and nothing is written twice. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { evalResult } from '../../../schemas/eval_result.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { copyOf } from '../practised.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'
import { practisedHere } from './aam.ts'

const sixCases = (value: string) =>
  ['one', 'two', 'three', 'four', 'five', 'six'].map((name, index) => ({
    ...{ id: index + 1, name, prompt: `say ${name}`, checks: [{ type: 'contains', value }] },
  }))

interface Wanted {
  /** Over the scenario in which the model says TIDY. */
  scenario?: object
  args?: readonly string[]
  /** Absent: in this process. */
  start?: (args: readonly string[], options: { env: Record<string, string> }) => ReturnType<typeof runMain>
}

/** A skill of six cases, which a practice model passes, and evals of it in one workspace. */
function resumeStage() {
  const skill = makeSkill(sixCases('TIDY'))
  const workspace = path.join(fresh(), 'ws')
  const ran = async ({ scenario = {}, args = [], start = runMain }: Wanted = {}) => {
    const text = JSON.stringify({ rules: [{ name: 'says', text: 'TIDY' }], ...scenario })
    await using server = await startPractice({ scenario: parseScenario(text, 'resume.yaml') })
    const place = ['--workspace', workspace, '--engine', 'anthropic:practice-1', '--retries', '0', '--sandbox', 'off']
    const command = ['eval', skill, ...place, '--concurrency', '1', '--json', ...args]
    const end = await start(command, { env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' } })
    const lines = end.stdout
      .trim()
      .split('\n')
      .map((line) => (line.endsWith('}') ? JSON.parse(line) : {}))
    const suites = (lines.at(-1)?.suites ?? []).map((one: unknown) => evalResult.parse(one))
    return {
      end,
      result: suites[0] as ReturnType<typeof evalResult.parse>,
      /** Of agents, not of the look whether the key is good. */
      asked: server.requests.filter(({ messages }) => JSON.stringify(messages).includes('say ')).length,
      planned: lines.find(({ type }) => type === 'plan_ready'),
    }
  }
  const made = path.join(workspace, 'evals')
  const folders = () => (existsSync(made) ? readdirSync(made).map((name) => path.join(made, name)) : [])
  return { skill, ran, folders }
}

/** The program with a model that needs 150 ms, ended by the signal after so many runs. */
const endedAfter = (runs: number, signal: NodeJS.Signals) => ({
  scenario: { latency: 150 },
  start: (args: readonly string[], { env }: { env: Record<string, string> }) =>
    whetstone(args, {
      env,
      started: (child) => {
        let seen = 0
        child.stdout?.on('data', (text: string) => {
          seen += text.split('"run_finished"').length - 1
          if (seen >= runs && !child.killed) child.kill(signal)
        })
      },
    }),
})

test('killed in the middle: the same command makes what is missing, in the same folder', async () => {
  const { ran, folders } = resumeStage()
  await ran(endedAfter(3, 'SIGKILL'))
  const [folder = ''] = folders()
  expect(existsSync(path.join(folder, 'eval.json'))).toBe(false)
  const { created_at } = JSON.parse(readFileSync(path.join(folder, 'plan.json'), 'utf8'))
  const again = await ran()
  expect(again.end.code, again.end.stderr).toBe(0)
  expect(folders()).toEqual([folder])
  expect(again.planned.done).toBeGreaterThanOrEqual(3)
  expect(again.asked).toBe(6 - again.planned.done)
  expect(again.result.summary).toMatchObject({ total: 6, passed: 6 })
  expect(again.result.started_at).toBe(created_at)
  // it is whole: the next one starts again
  const next = await ran()
  expect([next.asked, folders().length]).toEqual([6, 2])
})

test('Ctrl-C keeps what ended, and continue with the same command', async () => {
  const { ran, folders } = resumeStage()
  const cut = await ran(endedAfter(2, 'SIGINT'))
  expect(cut.end.code, cut.end.stderr).toBe(130)
  expect(cut.result.summary.skipped).toBeGreaterThan(0)
  const again = await ran()
  expect(again.end.code, again.end.stderr).toBe(0)
  expect(cut.asked + again.asked).toBe(6)
  expect(again.result.started_at).toBe(cut.result.started_at)
  expect(again.result.duration_seconds).toBeGreaterThan(cut.result.duration_seconds)
  expect(folders()).toHaveLength(1)
})

test('two at once: the second is told who is at work, and may start beside with --fresh', async () => {
  const { ran, folders } = resumeStage()
  const first = ran({ scenario: { latency: 2000 }, start: whetstone })
  await expect.poll(() => folders().some((folder) => existsSync(path.join(folder, 'plan.json')))).toBe(true)
  const second = await ran()
  expect(second.end).toMatchObject({ code: 2, stderr: expect.stringMatching(/has been at work there[\s\S]*--fresh/) })
  const beside = await ran({ args: ['--fresh'] })
  expect(beside.end.code, beside.end.stderr).toBe(0)
  expect((await first).result.summary.passed).toBe(6)
})

/** Ended by a server that fails after so many requests. */
const cutAfter = (requests: number) => ({ scenario: { faults: [{ status: 500, after: requests }] } })

describe('infrastructure kept it from an end', () => {
  test('what is missing is made, in the same folder, and what is damaged by then; nothing else', async () => {
    const { ran, folders } = resumeStage()
    const cut = await ran(cutAfter(4))
    expect(cut.end.code).toBe(3)
    expect(cut.result.summary).toMatchObject({ passed: 4, skipped: 2 })
    const record = path.join(folders()[0] ?? '', 'eval-1-one/subject/run-1/run.json')
    writeFileSync(record, readFileSync(record, 'utf8').slice(0, 100))
    const again = await ran()
    expect(again.end.code, again.end.stderr).toBe(0)
    expect([again.asked, folders().length]).toEqual([3, 1])
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

test('a judge that could not say is asked again, without a run', async () => {
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
    const worker = path.join(fresh(), 'worker.sh')
    const crashes = `if grep -q landlord; then printf c >> ${count}; exit 3; fi`
    writeFileSync(worker, `${crashes}\nprintf a >> ${count}; echo '1,240.50 since January'\n`)
    const flags = ['--engine', `command:sh ${worker}`, '--judge', 'anthropic:practice-1']
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
  copy.change('ledger/evals/judge.md', 'audit_sample_pct: 0.5', 'audit_sample_pct: 1')
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
  expect(cut.asked).toContain('greets by name')
  expect(again.asked).not.toContain('greets by name')
  expect(again.cases[0]).toMatchObject({ run: expect.any(String), cost_usd: null })
  expect(readdirSync(path.join(copy.workspace, 'evals'))).toHaveLength(1)
  expect(Object.values((await practisedHere(copy, flags)).verdicts)).toEqual(['cached', 'cached'])
  // a stored pass quotes the answer, so it is neither used nor kept without transcripts
  expect(Object.values((await practisedHere(copy, [...flags, '--no-transcripts'])).verdicts)).toEqual(['pass', 'pass'])
})
