/** An audit as a person and as an agent make it: sampled by verdict and arm, kept, counted, and true after a new grading. */
import { appendFileSync, cpSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { bench, jsonLines, newestIn } from '../bench/benched.ts'
import { fresh, makeSkill } from '../program.ts'
import { atTerminal, needsTerminal } from '../terminal.ts'

const judge = (...words: string[]) =>
  `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges/lenient.mjs')} ${words.join(' ')}`
const statements = ['it is neat', 'it is whole', 'it is bad', 'it is wrong']
const checks = [{ type: 'contains', value: 'TIDY' }]
const evals = ['one', 'two'].map((name, index) => ({
  id: index + 1,
  name,
  prompt: name,
  expectations: statements,
  checks,
}))

let original: string
beforeAll(async () => {
  const flags = ['--judge', judge('bad', 'wrong'), '--runs', '2', '--sandbox', 'off']
  const end = await bench({ skill: makeSkill(evals), engine: tidyAgent }, ...flags)
  expect(end.code, end.stderr).toBe(0)
  original = end.workspace
})

function copied() {
  const workspace = path.join(fresh(), 'ws')
  cpSync(original, workspace, { recursive: true })
  const result = () => newestIn(workspace).result
  const { folder, read } = newestIn(workspace)
  return { workspace, folder, read, result, audit: () => result().audit, log: path.join(workspace, 'audit_log.jsonl') }
}

interface Listed {
  type: string
  id: string
  configuration: string
  judge_passed: boolean
}

async function list(workspace: string, ...flags: string[]): Promise<Listed[]> {
  const end = await runMain(['audit', workspace, '--json', ...flags])
  expect(end.code, end.stderr).toBe(0)
  const lines: Listed[] = jsonLines(end.stdout)
  return lines.filter(({ type }) => type === 'decision')
}

test('the sample takes from every verdict in every arm, by the seed; a larger one adds to it; nothing is written', async () => {
  const { workspace, log } = copied()
  const tenth = await list(workspace)
  expect(tenth.map((one) => `${one.configuration} ${one.judge_passed}`).sort()).toEqual([
    'with_skill false',
    'with_skill true',
    'without_skill false',
    'without_skill true',
  ])
  expect(await list(workspace)).toEqual(tenth)
  const ids = (some: Listed[]) => some.map(({ id }) => id)
  const all = await list(workspace, '--sample', '100')
  expect(ids(all)).toEqual(expect.arrayContaining(ids(tenth)))
  expect(all).toHaveLength(16)
  const other = await list(workspace, '--seed', '2')
  expect(ids(other)).not.toEqual(ids(tenth))
  expect(existsSync(log)).toBe(false)
})

describe('labels', () => {
  test('are kept, counted and taken back; the reports say so', async () => {
    const { workspace, read, result, audit, log } = copied()
    const all = await list(workspace, '--sample', '100')
    const wrong = all.find(({ judge_passed }) => judge_passed)?.id
    const words = all.map(({ id }) => `--label=${id}=${id === wrong ? 'disagree' : 'agree'}`)
    const end = await runMain(['audit', workspace, ...words])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stdout).toContain('people agree with the judge on 94%')
    expect(end.stdout).toContain('The audit is too small to confirm the judge: 16 labels')
    expect(end.stdout).toMatch(/corrected for the judge's errors: with skill \d+% \[\d+%, \d+%\] instead of 50%;/)
    expect(audit()).toMatchObject({ labels: 16, table: { both_met: 7, only_judge: 1, only_person: 0, neither: 8 } })
    expect(audit()?.corrected?.with_skill?.rate).toBeLessThan(audit()?.corrected?.with_skill?.judged ?? 0)
    // four of five statements are the judge's; what code decides stays as it is
    const { candidate_mean, baseline_mean } = result().statistics?.judge_difference ?? {}
    const judged = audit()?.corrected?.with_skill?.rate ?? 0
    expect(candidate_mean).toBeCloseTo(0.8 * judged + 0.2, 5)
    expect(baseline_mean).toBeCloseTo(0.8 * judged, 5)
    for (const name of ['benchmark.md', 'report.html']) expect(read(name)).toContain('too small to confirm')
    await runMain(['audit', workspace, '--label', `${wrong}=undo`])
    expect(audit()).toMatchObject({ labels: 15 })
    expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(17)
  })
  test('stay after a new grading by another judge, and are counted against its verdicts', async () => {
    const { workspace, folder, audit } = copied()
    const all = await list(workspace, '--sample', '100')
    await runMain(['audit', workspace, ...all.map(({ id }) => `--label=${id}=agree`)])
    expect(audit()).toMatchObject({ labels: 16, agreement: { rate: 1 } })
    expect((await runMain(['grade', folder, '--judge', judge('bad'), '--sandbox', 'off'])).code).toBe(0)
    expect(audit()).toMatchObject({ labels: 16, agreement: { rate: 0.75 }, table: { only_judge: 4 } })
  })
  test('a line that was cut off is passed over, and told; the next begins a new one', async () => {
    const { workspace, audit, log } = copied()
    const [first, second] = await list(workspace)
    await runMain(['audit', workspace, '--label', `${first?.id}=agree`])
    appendFileSync(log, '{"schema_version":1,"id')
    const end = await runMain(['audit', workspace, '--label', `${second?.id}=agree`])
    expect(end.stderr).toContain('audit_log.jsonl')
    expect(audit()).toMatchObject({ labels: 2 })
  })
  test.each([
    ['nonsense=agree', 'no such decision'],
    ['nonsense', '--label "nonsense": invalid form'],
  ])('--label %s is a mistake', async (label, message) => {
    const { workspace, log } = copied()
    const end = await runMain(['audit', workspace, '--label', label])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
    expect(existsSync(log)).toBe(false)
  })
})

/** The keys are typed one after each question. */
function typed(args: readonly string[], keys: readonly string[]) {
  const left = [...keys]
  return atTerminal({ args, question: 'Do you agree?', answer: () => left.shift() ?? 'q' })
}

needsTerminal('at a terminal', () => {
  test('y, n, s, u and q do what they say', async () => {
    const { workspace, audit } = copied()
    const { said, code } = await typed(['audit', workspace], ['y', 's', 'n', 'u', 'y', 'q'])
    expect(code).toBe(0)
    expect(said).not.toContain('Nothing to undo')
    expect(said).toContain('1 of 4')
    expect(said).toContain('the judge says')
    expect(audit()).toMatchObject({ labels: 2, agreement: { rate: 1 } })
  })
  test('u before the first says so; Ctrl-C ends with 130, and what was said is kept; the rest is asked later', async () => {
    const { workspace, audit } = copied()
    const { said, code } = await typed(['audit', workspace], ['u', 'y', '\u0003'])
    expect(said).toContain('Nothing to undo')
    expect(code).toBe(130)
    expect(audit()).toMatchObject({ labels: 1 })
    // keys that are typed ahead count
    const more = await typed(['audit', workspace], ['yyq'])
    expect(more.code, more.said).toBe(0)
    expect(more.said).toContain('3 of 3')
    expect(audit()).toMatchObject({ labels: 3 })
  })
  test('the end of the input ends with 0', async () => {
    expect((await typed(['audit', copied().workspace], ['\u0004'])).code).toBe(0)
  })
})
