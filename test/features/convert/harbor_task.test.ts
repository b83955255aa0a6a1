/** The files of a Harbor task, what it leaves out, and what cannot be a task. */
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import type { Suite, SuiteCase } from '../../../schemas/suite.ts'
import { buildHarborTask } from '../../../src/features/convert/harbor/harbor_task.ts'
import { toPythonPattern } from '../../../src/features/convert/harbor/python_pattern.ts'
import { blankCase } from '../../../src/phases/1-plan/suite/inspected_suite.ts'

const input = { path: 'a.txt', source: '/suite/a.txt', sha256: 'f'.repeat(64) }

const grading = { path: 'evals/test.py', source: '/suite/evals/test.py', sha256: 'e'.repeat(64) }
const programs = new Map([
  ['evals/grade.py', 'print(1)'],
  ['evals/answer.py', 'print(given["final_response"])'],
  ['evals/events.py', 'open(given["transcript_events_file"])'],
])

function build(changes: Partial<SuiteCase>, suite: Pick<Suite, 'defaults' | 'sandbox'> = {}) {
  const one: SuiteCase = {
    ...blankCase,
    eval_id: 7,
    eval_key: 'seven',
    eval_name: 'A case',
    prompt: 'Do it.',
    checks: [{ type: 'file_exists', path: 'x' }],
    ...changes,
  }
  const skills = [{ path: 'sums/SKILL.md', source: '/skill/SKILL.md' }]
  return buildHarborTask({
    case: one,
    suite,
    skill_name: 'sums',
    inputs: [input],
    skills,
    grading: changes.grading_files === undefined ? [] : [grading],
    programs,
    sentence: ({ type }) => type,
  })
}

function task(...args: Parameters<typeof build>) {
  const built = build(...args)
  if ('refusal' in built) throw new Error(built.refusal)
  const texts = Object.fromEntries(built.files.map((file) => [file.path, 'text' in file ? file.text : file.source]))
  return {
    lost: built.lost,
    texts,
    toml: parse(texts['task.toml'] ?? ''),
    checks: JSON.parse(texts['tests/checks.json'] ?? ''),
  }
}

describe('a task', () => {
  test('has the files of the format, the input files and the skill', () => {
    const { texts, lost } = task({})
    expect(Object.keys(texts).sort()).toEqual(
      'environment/Dockerfile environment/files/a.txt environment/skills/sums/SKILL.md instruction.md task.toml tests/checks.json tests/test.sh tests/verify.py'.split(
        ' ',
      ),
    )
    expect([texts['instruction.md'], lost]).toEqual(['Do it.\n', []])
  })
  test('names the case, its limits, and what is not verified', () => {
    const checks: SuiteCase['checks'] = [{ type: 'command', run: 'true', timeout: 100 }, { type: 'skill_read' }]
    const { toml } = task({ checks, category: 'pdf', expectations: [{ text: 'It is polite.' }] })
    expect(toml).toEqual({
      schema_version: '1.1',
      version: '1.0',
      metadata: {
        eval_id: 7,
        eval_key: 'seven',
        eval_name: 'A case',
        skill_name: 'sums',
        category: 'pdf',
        not_verified: ['skill_read', 'It is polite.'],
      },
      verifier: { timeout_sec: 160 },
      agent: { timeout_sec: 300 },
      environment: { build_timeout_sec: 600, cpus: 1, memory_mb: 2048, storage_mb: 10240, allow_internet: false },
    })
  })
  test.each<[number | null, number | undefined, number]>([
    [90, 120, 90],
    [null, 120, 120],
    [null, undefined, 300],
  ])('timeout of the case %j, of the suite %j: %j s', (timeout_seconds, seconds, expected) => {
    const defaults = seconds === undefined ? {} : { timeout_seconds: seconds }
    expect(task({ timeout_seconds }, { defaults }).toml.agent).toEqual({ timeout_sec: expected })
  })
  test('has the network only if the suite asks for it', () => {
    expect(task({}, { sandbox: { network: 'open' } }).toml.environment).toMatchObject({ allow_internet: true })
  })
  test('asks for the answer in a file only if a check reads it', () => {
    const { texts, checks, lost } = task({ checks: [{ type: 'contains', value: '42' }] })
    expect(texts['instruction.md']).toBe('Do it.\n\nWrite your final answer to the file `/app/answer.txt`.\n')
    expect([checks.answer_file, lost]).toEqual(['answer.txt', [expect.stringContaining('/app/answer.txt')]])
    expect(task({}).checks.answer_file).toBeNull()
    expect(task({ checks: [{ type: 'contains', value: '42', target: 'outputs' }] }).checks.answer_file).toBeNull()
  })
  test('uses another file for the answer if the case has an answer.txt', () => {
    const { checks } = task({
      checks: [
        { type: 'contains', value: '42' },
        { type: 'file_exists', path: 'answer.txt' },
      ],
    })
    expect(checks.answer_file).toBe('answer-2.txt')
  })
  test('sets variables and copies texts and AGENTS.md; the rest of the environment is lost', () => {
    const none = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} }
    const environment = {
      ...none,
      env: { A: 'a "b" $c', B: 'two\nlines' },
      texts: { 'notes/n.md': 'n' },
      instructions: 'Be kind.',
      system_prompt: 'x',
    }
    const { texts, checks, lost } = task({ environment })
    expect(texts['environment/Dockerfile']).toContain('\nENV A="a \\"b\\" \\$c"\nWORKDIR /app\nCOPY files /app\n')
    expect(texts['environment/files/notes/n.md']).toBe('n')
    expect(Object.keys(checks.start)).toEqual(['a.txt', 'notes/n.md', 'AGENTS.md', '.claude/CLAUDE.md'])
    expect(lost).toEqual(['the system prompt', 'the variable B, whose value has several lines'])
  })
  test('has a solution without an answer if no check reads it', () => {
    const reference = { answer: 'yes', files: { 'x/y': '1', '../../out': '2' } }
    const { texts, lost } = task({ reference })
    expect(Object.keys(texts).filter((name) => name.startsWith('solution/'))).toEqual([
      'solution/solve.sh',
      'solution/files/x/y',
    ])
    expect(lost).toEqual(['the file ../../out of the reference, which is not in the working folder'])
    expect(task({ reference: { answer: 'yes' } }).texts['solution/solve.sh']).toBeUndefined()
  })
  test('says that the solution of a reference without an answer cannot pass', () => {
    const { lost } = task({ checks: [{ type: 'contains', value: '4' }], reference: { files: { x: '1' } } })
    expect(lost).toContain('a solution that passes (its reference has no answer)')
  })
  test('clones the repository of a case at its commit', () => {
    const repo = { commit: 'a'.repeat(40), branch: "it's", shallow: ['b'.repeat(40)], origin: 'https://example.org/r' }
    const { texts, lost } = task({ git: { bundle: '/b', sha256: '', repo } })
    expect(lost).toEqual([])
    const dockerfile = (texts['environment/Dockerfile'] ?? '').replaceAll(' \\\n', '')
    expect(dockerfile).toContain(`RUN git init --quiet --initial-branch='it'"'"'s'`)
    expect(dockerfile).toContain(`printf '%s\\n' ${'b'.repeat(40)} > .git/shallow`)
    expect(dockerfile).toContain(`checkout --quiet -B 'it'"'"'s' ${'a'.repeat(40)}`)
    expect(dockerfile).toContain('git remote add -- origin https://example.org/r')
  })
  test('names what a case has around the agent', () => {
    const { lost } = task({ teardown: 'true', collect: ['/tmp/x'], quarantine: true })
    expect(lost).toEqual([
      'the teardown',
      'files outside of the working folder that are collected',
      'that it is in quarantine',
    ])
  })
  test('has a setup as one line, whatever is in it', () => {
    const { texts, checks } = task({ setup: 'echo "a"\necho $HOME \\' })
    expect(texts['environment/Dockerfile']).toContain('\nRUN ["sh","-c","echo \\"a\\"\\necho $HOME \\\\"]\n')
    expect(checks.start).toBeNull()
  })
})

describe('checks', () => {
  test('a reward alone counts, and an indicator does not', () => {
    const a = { type: 'file_exists' as const, path: 'a' }
    const b = { type: 'file_exists' as const, path: 'b' }
    const counts = (checks: SuiteCase['checks']) =>
      task({ checks }).checks.checks.map((one: { counts: boolean }) => one.counts)
    expect(counts([a, b])).toEqual([true, true])
    expect(counts([a, { ...b, reward: true }])).toEqual([false, true])
    expect(counts([a, { ...b, indicator: true }])).toEqual([true, false])
  })
  test.each<[SuiteCase['checks'][number], string]>([
    [{ type: 'tool_used', name: 'Bash' }, 'tool_used (not decidable from the files that the agent leaves)'],
    [{ type: 'contains', value: 'x', target: 'transcript' }, 'contains (Harbor has no transcript for it)'],
    [
      { type: 'regex', pattern: '\\p{L}', flags: 'u' },
      "regex (its pattern has \\p, which Python's re reads otherwise)",
    ],
    [{ type: 'json_path', query: '$[?@.a]' }, 'json_path (its query has more than names, indexes and *)'],
    [{ type: 'file_exists', path: '../x' }, 'file_exists (its path leads out of the working folder)'],
    [
      { type: 'file_exists', path: 'node_modules/x' },
      'file_exists (its path is in a folder whose files do not count as outputs)',
    ],
    [
      { type: 'similarity', value: 'x', at_least: 1, reward: true },
      'its reward, similarity (not decidable from the files that the agent leaves)',
    ],
  ])('%j is left out', (check, kind) => {
    expect(build({ checks: [check] })).toEqual({ refusal: `nothing to verify but ${kind}` })
  })
  test.each<[SuiteCase['checks'][number], string]>([
    [{ type: 'contains', value: 'x', path: 'r.xlsx' }, 'contains (the text of a .xlsx file is not readable there)'],
    [{ type: 'csv', path: 'r.XLSM' }, 'csv (the text of a .xlsm file is not readable there)'],
    [{ type: 'equals', value: 'x', path: 'n.ipynb' }, 'equals (the text of a .ipynb file is not readable there)'],
    [{ type: 'script', script: 'evals/grade.ts' }, 'script (it needs Node.js)'],
    [{ type: 'script', script: 'evals/events.py' }, 'script (it reads the transcript, which Harbor does not have)'],
  ])('%j is left out, because the verifier can not read what it needs', (check, kind) => {
    expect(build({ checks: [check] })).toEqual({ refusal: `nothing to verify but ${kind}` })
  })
  test('a notebook is JSON, so json_path reads it', () => {
    expect(task({ checks: [{ type: 'json_path', path: 'n.ipynb', query: '$.cells' }] }).lost).toEqual([])
  })
  test('a command brings its files, and its report decides', () => {
    const files = [{ from: 'evals/test.py', to: 't.py' }]
    const check = { type: 'command' as const, run: 'pytest', files, result: 'junit' as const, pass_at: 0.5 }
    const file = { path: 'evals/test.py', source: '', kind: 'file' as const, bytes: 1, sha256: '' }
    const { texts, checks, lost } = task({ checks: [check], grading_files: [file] })
    expect([texts['tests/files/evals/test.py'], lost]).toEqual(['/suite/evals/test.py', []])
    expect(checks.checks[0]).toMatchObject({ files, result: 'junit', result_file: null, pass_at: 0.5, exit_code: 0 })
  })
  test.each([
    ['evals/grade.py', null],
    ['evals/answer.py', 'answer.txt'],
  ])('the script %s gets the case, and the answer in %j', (script, answer) => {
    const check = { type: 'script' as const, script, files: [{ from: script, to: script }] }
    const { checks } = task({ checks: [check], expected_output: 'a sum' })
    expect(checks.answer_file).toBe(answer)
    const shown = { id: 7, name: 'A case', prompt: 'Do it.', expected_output: 'a sum', reference: null }
    expect(checks.checks[0]).toMatchObject({ type: 'script', script, args: [], case: shown })
  })
  test('a case without a check, or with a reward that cannot be decided, is not a task', () => {
    expect(build({ checks: [] })).toEqual({ refusal: 'it has no check' })
    const reward = { type: 'cost_at_most' as const, value: 1, reward: true }
    expect(build({ checks: [{ type: 'file_exists', path: 'x' }, reward] })).toEqual({
      refusal: expect.stringContaining('its reward, cost_at_most'),
    })
    const indicator = { type: 'file_exists' as const, path: 'x', indicator: true }
    expect(build({ checks: [indicator] })).toEqual({
      refusal: 'nothing to verify but checks that only a run with the skill can pass',
    })
  })
})

test.each([
  ['(?<=a+)b', '', 'a lookbehind of variable length'],
  ['\\p{Lu}', 'u', '\\p'],
  ['\\ud83d', '', 'half of a surrogate pair'],
  ['\\2(a)', '', 'no earlier group'],
  ['(?<ü>a)', '', 'the group name ü'],
])('the pattern /%s/%s has no equivalent in Python', (source, flags, reason) => {
  expect(toPythonPattern(source, flags)).toEqual({ reason: expect.stringContaining(reason) })
})
