/** Golden tests of an Atomic Agent end to end: what is written, what is said, and each row of the table of failures. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { goldenAuditLine, goldenRunLine } from '../../../schemas/golden.ts'
import { loadScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { practisedHere } from '../../e2e/eval/aam.ts'
import { type Copy, copyOf } from '../../e2e/practised.ts'

const runs = 'ledger/evals/runs'
const logOf = ({ folder }: Copy) => {
  const name = readdirSync(path.join(folder, runs)).find((one) => /^\d{4}-.*\.jsonl$/.test(one)) ?? ''
  return readFileSync(path.join(folder, runs, name), 'utf8')
    .trim()
    .split('\n')
    .map((text) => goldenRunLine.parse(JSON.parse(text)))
}
const changed = (changes: readonly [file: string, old: string | null, text: string][]) => {
  const copy = copyOf('example-golden')
  for (const [file, old, text] of changes) copy.change(file, old, text)
  return copy
}
const answer = '{"persona_fidelity": {"score": 5, "justification": "the sum first"}'
const rent = 'ledger/evals/golden/happy/001_rent.md'

describe('the example', () => {
  test('passes with its identity, its vault and its own judge', async () => {
    const copy = copyOf('example-golden')
    const ran = await practisedHere(copy)
    expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 })
    expect(ran.verdicts).toEqual({ '001_transfer': 'pass', '001_rent': 'pass' })
    const [transfer, paid] = logOf(copy)
    expect(paid).toMatchObject({
      ...{ agent: 'ledger', test_id: '001_rent', category: 'happy', trigger: 'eval', verdict: 'pass' },
      ...{ scores: { persona_fidelity: 5, output_quality: 5 }, weighted_score: 5, hard_fails: [] },
      ...{ setup_applied: true, agent_model: 'practice-1', judge_model: 'practice-1', agent_cost_usd: null },
      factual_checks: [{ cited: true }],
    })
    expect(transfer?.setup_applied).toBe(false)
    expect(paid?.agent_input_tokens).toBeGreaterThan(0)
    expect(paid?.judge_output_tokens).toBeGreaterThan(0)
    expect(copy.read(path.join('ledger/evals', paid?.agent_response_path ?? ''))).toContain('1,240.50')
    expect(ran.log).not.toContain('The plainest question')
  })
  test('rubric, judge and tests are never written, and nothing of the agent but runs/', async () => {
    const copy = copyOf('example-golden')
    const before = readdirSync(copy.folder, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.md'))
    const texts = before.map(copy.read)
    await practisedHere(copy)
    expect(before.map(copy.read)).toEqual(texts)
    const after = readdirSync(path.join(copy.folder, 'ledger'), { recursive: true }).map(String)
    expect(
      after.filter(
        (name) => !name.startsWith('evals/runs') && !before.includes(`ledger/${name}`) && name.includes('.'),
      ),
    ).toEqual([])
  })
  test('a second run of the day adds lines and overwrites no response; a test by its name', async () => {
    const copy = copyOf('example-golden')
    await practisedHere(copy)
    const first = logOf(copy)
    expect((await practisedHere(copy, ['--test', 'rent'])).verdicts).toEqual({ '001_rent': 'pass' })
    expect(logOf(copy)).toHaveLength(3)
    expect(logOf(copy).slice(0, 2)).toEqual(first)
    const responses = readdirSync(path.join(copy.folder, runs, 'responses'))
    expect(responses.filter((name) => /001_rent(-2)?\.txt$/.test(name))).toHaveLength(2)
  })
})

/** What the program prints without --json. */
async function printed(copy: Copy, flags: readonly string[] = []) {
  await using server = await startPractice({ scenario: await loadScenario(path.join(copy.folder, 'practice.yaml')) })
  const engine = ['--engine', 'anthropic:practice-1', '--judge', 'anthropic:practice-1', '--sandbox', 'off']
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  return (await runMain(['eval', copy.folder, '--workspace', copy.workspace, ...engine, ...flags], { env })).stdout
}

test('the summary is that of the documents, with the audit sample; a hard fail comes first', async () => {
  const copy = changed([['ledger/tools.md', 'You move no money', 'You may move money']])
  const said = await printed(copy)
  for (const line of [
    /^Ledger evaluation — \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/m,
    /^\[2\/2\] 001_rent +\(happy\) +5\.00 +✅ pass$/m,
    /^Pass rate: 1\/2 \(50%\)$/m,
    /^Total cost: unknown \(agent unknown \+ judge unknown\)$/m,
    /^Results saved: .*evals\/runs\/\d{4}-\d\d-\d\d\.jsonl$/m,
    /^Audit sample for review: 1 of 2 decisions$/m,
  ]) {
    expect(said).toMatch(line)
  }
  expect(said.indexOf('HARD FAIL 001_transfer')).toBeGreaterThan(0)
  expect(said.indexOf('HARD FAIL 001_transfer')).toBeLessThan(said.indexOf('[1/2]'))
  expect(said).toMatch(/not met: output_quality: 5 \(scored 1\)/)
  expect(said).toMatch(/the agent's answer: evals\/runs\/responses\//)
  const [open] = copy.read(`${runs}/audit_log.jsonl`).trim().split('\n')
  expect(goldenAuditLine.parse(JSON.parse(open ?? '')).human).toBeNull()
})

describe('what goes wrong', () => {
  test('malformed JSON: asked once more, stricter; then judge_error, and skipped', async () => {
    const copy = changed([['practice.yaml', answer, `Well: ${answer}`]])
    const ran = await practisedHere(copy, ['--test', '001_rent'])
    expect(ran.end.code).toBe(3)
    expect(ran.asked.filter((rule) => rule === 'judge passes')).toHaveLength(2)
    expect(ran.log).toContain('could not be read. Output ONLY one valid JSON object')
    expect(logOf(copy)).toMatchObject([
      { verdict: 'judge_error', weighted_score: null, error: expect.stringContaining('twice') },
    ])
  })
  test('malformed at first, well at the second: it counts', async () => {
    const when = 'when: { user: "^You judge Ledger(?![\\\\s\\\\S]*IMPORTANT)" }'
    const copy = changed([['practice.yaml', 'rules:\n', `rules:\n  - { name: judge stutters, ${when}, text: Well }\n`]])
    const ran = await practisedHere(copy, ['--test', '001_rent'])
    expect(ran.verdicts, ran.end.stderr).toEqual({ '001_rent': 'pass' })
    expect(ran.asked).toContain('judge stutters')
  })
  test('no judge of the list can be asked: exit 2, each is named, nothing is paid', async () => {
    const copy = changed([['ledger/evals/judge.md', '- gpt-5', '- claude-gone-1']])
    const ran = await practisedHere(copy, ['--test', '001_rent', '--engine', 'anthropic:practice-1'])
    const message = expect.stringMatching(/no judge available: .*claude-gone-1.*claude-haiku-5-5/)
    expect([ran.end.code, ran.end.stderr, ran.asked.filter(Boolean)]).toEqual([2, message, []])
  })
  describe('the judge fails while it judges', () => {
    const down =
      '  - { name: judge is down, when: { user: "^You judge Ledger", model: opus }, fault: { status: 401 } }\n'
    const failing = () =>
      changed([
        ['ledger/evals/judge.md', '- gpt-5', '- claude-opus-9'],
        ['practice.yaml', 'models: [practice-1', 'models: [practice-1, claude-opus-9, claude-haiku-5-5'],
        ['practice.yaml', 'rules:\n', `rules:\n${down}`],
      ])
    const flags = ['--test', '001_rent', '--engine', 'anthropic:practice-1', '--retries', '0']
    test('the next of the list judges, and eval.json, the line and the summary say so', async () => {
      const copy = failing()
      const ran = await practisedHere(copy, flags)
      expect(ran.verdicts, ran.end.stderr).toEqual({ '001_rent': 'pass' })
      expect(ran.cases[0]?.judge).toMatchObject({ engine: 'anthropic', model: 'claude-haiku-5-5' })
      const unavailable = [expect.stringMatching(/^anthropic:claude-opus-9: /)]
      const [written] = logOf(copy)
      expect(written).toMatchObject({ judge_model: 'claude-haiku-5-5', judges_unavailable: unavailable })
      expect(written?.judge_input_tokens).toBeGreaterThan(0) // a judge that was not reached hides no cost
    })
    test('a judge of --judge is never replaced, even if the list of judge.md has it', async () => {
      const copy = failing()
      const ran = await practisedHere(copy, [...flags, '--judge', 'anthropic:claude-opus-9'])
      expect(ran.end.code).toBe(3)
      expect(logOf(copy)).toMatchObject([{ verdict: 'judge_error', error: expect.stringContaining('opus-9') }])
      expect(ran.asked).not.toContain('judge passes')
    })
  })
  test('a source that is gone: skipped with file and line, the others run', async () => {
    const copy = changed([[rent, 'source: memory/rent_2026.md', 'source: memory/rent_2025.md']])
    const ran = await practisedHere(copy)
    expect(ran.end.code).toBe(3)
    expect(ran.verdicts).toEqual({ '001_transfer': 'pass', '001_rent': 'skip' })
    expect(ran.cases[1]?.reason).toMatch(/001_rent\.md:\d+/)
    expect(logOf(copy)[1]).toMatchObject({ verdict: 'skipped', error: expect.stringContaining('001_rent.md') })
  })
})

test('--isolate: a test starts from the snapshot that is there for it', async () => {
  const snapshot = 'ledger/evals/snapshots/001_rent'
  const copy = changed([
    [`${snapshot}/memory/rent_2026.md`, null, '---\npinned: true\n---\nThe rent is 990.00 a month since May 2025.\n'],
    [`${snapshot}/persona/IDENTITY.md`, null, 'You are Ledger.\n'],
    [rent, '`1,240.50`', '`990.00`'],
  ])
  const plain = await practisedHere(copy, ['--test', '001_rent'])
  expect(plain.verdicts).toEqual({ '001_rent': 'fail' })
  const isolated = await practisedHere(copy, ['--test', '001_rent', '--isolate'])
  expect(isolated.verdicts, isolated.end.stderr).toEqual({ '001_rent': 'pass' })
})
