/** An eval that was cut short goes on: what ended for good is kept and not paid again, and nothing is written twice. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { evalResult } from '../../../schemas/eval_result.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { copyOf, practised } from '../practised.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

const names = ['one', 'two', 'three', 'four', 'five', 'six']
const casesOf = (value: string) =>
  names.map((name, index) => ({ id: index + 1, name, prompt: `say ${name}`, checks: [{ type: 'contains', value }] }))

/** A skill of six cases and a workspace, with a practice model that says TIDY. */
function stage() {
  const skill = makeSkill(casesOf('TIDY'))
  const workspace = path.join(fresh(), 'ws')
  const ran = async (
    more: { scenario?: object; args?: readonly string[]; killAfter?: number; signal?: NodeJS.Signals } = {},
  ) => {
    const scenario = JSON.stringify({ rules: [{ name: 'says', text: 'TIDY' }], ...more.scenario })
    await using server = await startPractice({ scenario: parseScenario(scenario, 'resume.yaml') })
    const place = ['--workspace', workspace, '--engine', 'anthropic:practice-1', '--retries', '0']
    const command = ['eval', skill, ...place, '--concurrency', '1', '--json', ...(more.args ?? [])]
    const end = await whetstone(command, {
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' },
      started: (child) => {
        let seen = 0
        child.stdout?.on('data', (text: string) => {
          seen += text.split('"run_finished"').length - 1
          if (more.killAfter === undefined || seen < more.killAfter || child.killed) return
          child.kill(more.signal ?? 'SIGKILL')
        })
      },
    })
    const lines = end.stdout.trim().split('\n')
    const last = end.signal === null ? JSON.parse(lines.at(-1) ?? 'null') : null
    const suites = (last?.suites ?? []).map((one: unknown) => evalResult.parse(one))
    const planned = lines
      .map((line) => (line.endsWith('}') ? JSON.parse(line) : {}))
      .find((one) => one.type === 'plan_ready')
    return {
      end,
      last,
      result: suites[0] as ReturnType<typeof evalResult.parse>,
      /** Of agents, not of the look whether the key is good. */
      asked: server.requests.filter(({ messages }) => JSON.stringify(messages).includes('say ')).length,
      planned,
    }
  }
  const folders = () => readdirSync(path.join(workspace, 'evals')).map((name) => path.join(workspace, 'evals', name))
  return { skill, workspace, ran, folders }
}

const slow = { scenario: { latency: 150 } }

describe('killed in the middle', () => {
  test('the same command makes what is missing, in the same folder', { timeout: 60_000 }, async () => {
    const { ran, folders } = stage()
    await ran({ ...slow, killAfter: 3 })
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
    // it is whole: the next one begins anew
    const anew = await ran()
    expect([anew.asked, folders().length]).toEqual([6, 2])
  })
  test('control: --fresh begins anew, and the unfinished one stays as it is', { timeout: 60_000 }, async () => {
    const { ran, folders } = stage()
    await ran({ ...slow, killAfter: 2 })
    const anew = await ran({ args: ['--fresh'] })
    expect([anew.asked, folders().length, anew.planned.done]).toEqual([6, 2, 0])
  })
  test('what is damaged by then is made again, alone', { timeout: 60_000 }, async () => {
    const { ran, folders } = stage()
    await ran({ ...slow, killAfter: 3 })
    const [folder = ''] = folders()
    const record = path.join(folder, 'eval-1-one/subject/run-1/run.json')
    writeFileSync(record, readFileSync(record, 'utf8').slice(0, 100))
    const again = await ran()
    expect(again.end.code, again.end.stderr).toBe(0)
    expect(again.asked).toBe(6 - again.planned.done)
    expect(again.end.stdout).toContain('"artefact_damaged"')
    expect(again.result.summary.passed).toBe(6)
  })
  test('a change of the criteria judges the runs anew and makes none again', { timeout: 60_000 }, async () => {
    const { ran, skill, folders } = stage()
    await ran({ ...slow, killAfter: 3 })
    const evals = JSON.stringify({ skill_name: 'tidy', evals: casesOf('UNTIDY') })
    writeFileSync(path.join(skill, 'evals/evals.json'), evals)
    const again = await ran()
    expect(again.end.code).toBe(1)
    expect(again.result.summary).toMatchObject({ failed: 6 })
    expect([again.asked, folders().length]).toEqual([6 - again.planned.done, 1])
  })
  test('a change of what is under test begins anew', { timeout: 60_000 }, async () => {
    const { ran, skill, folders } = stage()
    await ran({ ...slow, killAfter: 3 })
    writeFileSync(path.join(skill, 'SKILL.md'), '---\nname: tidy\ndescription: Another.\n---\n\nSay TIDY.\n')
    expect([(await ran()).asked, folders().length]).toEqual([6, 2])
  })
})

test('Ctrl-C keeps what ended, and continue with the same command', { timeout: 60_000 }, async () => {
  const { ran, folders } = stage()
  const cut = await ran({ ...slow, killAfter: 2, signal: 'SIGINT' })
  expect(cut.end.code, cut.end.stderr).toBe(130)
  expect(cut.result.summary.skipped).toBeGreaterThan(0)
  const again = await ran()
  expect(again.end.code, again.end.stderr).toBe(0)
  expect(cut.asked + again.asked).toBe(6)
  expect(again.result.started_at).toBe(cut.result.started_at)
  expect(again.result.duration_seconds).toBeGreaterThan(cut.result.duration_seconds)
  expect(folders()).toHaveLength(1)
})

test('what infrastructure kept from an end is made again, and nothing else', { timeout: 60_000 }, async () => {
  const { ran, folders } = stage()
  const cut = await ran({ scenario: { faults: [{ status: 500, after: 4 }] } })
  expect(cut.end.code).toBe(3)
  expect(cut.result.summary).toMatchObject({ passed: 4, skipped: 2 })
  const again = await ran()
  expect(again.end.code, again.end.stderr).toBe(0)
  expect([again.asked, folders().length]).toEqual([2, 1])
  expect(again.result.summary.passed).toBe(6)
})

test('a limit that ended it: what was spent before counts no more, what was made does', {
  timeout: 60_000,
}, async () => {
  const { ran } = stage()
  const cut = await ran({ args: ['--budget', '0.001', '--cost-per-run', '0.0005'] })
  expect(cut.end.code).toBe(3)
  expect(cut.result.summary.skipped).toBeGreaterThan(0)
  const again = await ran()
  expect(again.end.code, again.end.stderr).toBe(0)
  expect(cut.asked + again.asked).toBe(6)
})

test('two at once: the second is told who is at work, and may start beside with --fresh', {
  timeout: 60_000,
}, async () => {
  const { ran, folders } = stage()
  const first = ran({ scenario: { latency: 2000 } })
  while (!isUnderWay(folders)) await new Promise((done) => setTimeout(done, 100))
  const second = await ran()
  expect(second.end).toMatchObject({ code: 2, stderr: expect.stringMatching(/has been at work there[\s\S]*--fresh/) })
  const beside = await ran({ args: ['--fresh'] })
  expect(beside.end.code, beside.end.stderr).toBe(0)
  expect((await first).result.summary.passed).toBe(6)
})

function isUnderWay(folders: () => string[]): boolean {
  try {
    return folders().some((folder) => existsSync(path.join(folder, 'plan.json')))
  } catch {
    return false
  }
}

describe('a judge that could not say', () => {
  test('is asked again, without a run', { timeout: 60_000 }, async () => {
    const skill = makeSkill([{ id: 1, name: 'one', prompt: 'say it', expectations: ['says TIDY'] }])
    const mood = path.join(fresh(), 'mood.mjs')
    writeFileSync(mood, 'process.exit(1)\n')
    const workspace = path.join(fresh(), 'ws')
    const count = path.join(fresh(), 'count')
    const agent = `command:sh -c "echo x >> ${count}; echo TIDY"`
    const args = ['eval', skill, '--workspace', workspace, '--engine', agent, '--judge', `command:node ${mood}`]
    const run = () => whetstone([...args, '--retries', '0', '--sandbox', 'off'])
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
  test('a line and a response once for each run, however often it went on', { timeout: 60_000 }, async () => {
    const copy = copyOf('example-golden')
    const judge = copy.read('practice.yaml')
    copy.change('practice.yaml', '{"persona_fidelity"', 'Well: {"persona_fidelity"')
    const cut = await practised(copy)
    expect(cut.end.code, cut.end.stderr).toBe(3)
    const before = logged(copy)
    const stillCut = await practised(copy)
    expect(stillCut.end.code).toBe(3)
    expect(logged(copy)).toEqual(before)
    copy.change('practice.yaml', null, judge)
    const again = await practised(copy)
    expect(again.end.code, again.end.stderr).toBe(0)
    const failed = before.filter(([, verdict]) => verdict === 'judge_error')
    expect(failed.length).toBeGreaterThan(0)
    expect(logged(copy)).toEqual([...before, ...failed.map(([name]) => [name, 'pass'])])
    expect(readdirSync(path.join(copy.folder, runs, 'responses'))).toHaveLength(2)
    expect(again.suites[0].golden.lines).toHaveLength(2)
    expect(readdirSync(path.join(copy.workspace, 'evals'))).toHaveLength(1)
  })
  test('an agent that crashed has failed for good: it is not run again beside one that was skipped', {
    timeout: 60_000,
  }, async () => {
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
    const flags = ['--engine', `command:node ${worker}`, '--judge', 'anthropic:practice-1', '--sandbox', 'off']
    const run = () => practised(copy, [...flags, '--retries', '0'])
    const cut = await run()
    expect(cut.verdicts, cut.end.stderr).toEqual({ '001_transfer': 'fail', '001_rent': 'skip' })
    expect((await run()).verdicts).toEqual(cut.verdicts)
    expect(readFileSync(count, 'utf8').split('').sort().join('')).toBe('ac')
    // control: where everything is new both are asked
    await practised(copy, [...flags, '--retries', '0', '--fresh'])
    expect(readFileSync(count, 'utf8')).toHaveLength(4)
  })
})

test('the audit sample of a golden eval that goes on holds no verdict twice', { timeout: 60_000 }, async () => {
  const copy = copyOf('example-golden')
  const down = "rules:\n  - { name: is down, when: { user: '^Send the landlord' }, fault: { status: 500 } }\n"
  copy.change('practice.yaml', 'rules:\n', down)
  const run = () => practised(copy, ['--retries', '0'])
  expect((await run()).verdicts).toEqual({ '001_transfer': 'skip', '001_rent': 'pass' })
  const sample = copy.read('ledger/evals/runs/audit_log.jsonl')
  expect((await run()).verdicts).toEqual({ '001_transfer': 'skip', '001_rent': 'pass' })
  expect(copy.read('ledger/evals/runs/audit_log.jsonl')).toBe(sample)
})

test('EVAL.md: what passed before the end is kept, and remembered later', { timeout: 60_000 }, async () => {
  const copy = copyOf('example-eval-md')
  const scenario = copy.read('practice.yaml')
  copy.change(
    'practice.yaml',
    'rules:\n',
    "rules:\n  - { name: is down, when: { user: '^Hello there' }, fault: { status: 500 } }\n",
  )
  const flags = ['--target', 'skill:greeter', '--retries', '0']
  const cut = await practised(copy, flags)
  expect(Object.values(cut.verdicts), cut.end.stderr).toEqual(['pass', 'skip'])
  copy.change('practice.yaml', null, scenario)
  const again = await practised(copy, flags)
  expect(Object.values(again.verdicts), again.end.stderr).toEqual(['pass', 'pass'])
  expect([
    again.asked.filter((rule) => rule === 'greets by name'),
    cut.asked.filter((rule) => rule === 'greets by name'),
  ]).toEqual([[], ['greets by name']])
  expect(again.cases[0]).toMatchObject({ run: expect.any(String), cost_usd: null })
  expect(readdirSync(path.join(copy.workspace, 'evals'))).toHaveLength(1)
  expect(Object.values((await practised(copy, flags)).verdicts)).toEqual(['cached', 'cached'])
  // a stored pass quotes the answer, so it is neither used nor kept without transcripts
  expect(Object.values((await practised(copy, [...flags, '--no-transcripts'])).verdicts)).toEqual(['pass', 'pass'])
})
