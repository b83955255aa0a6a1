/** check --critique: from a finished benchmark to edits of its suite, each at its place, with the numbers. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Critique, type CritiqueFinding, critique as critiqueSchema } from '../../../schemas/critique.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { judgeCommand } from '../../phases/3-judge/scene.ts'
import { fresh, makeSkill } from '../program.ts'

const tidy = {
  id: 1,
  name: 'notes',
  prompt: 'sort it',
  expectations: ['It always holds', 'It never holds', 'It holds if TIDY', 'Likewise if TIDY', 'A wavers thing'],
  checks: [{ type: 'file_exists', path: 'answer.txt' }],
}
const proof = {
  id: 2,
  name: 'proof',
  prompt: 'sort it too',
  assertions: [
    'answer.txt says `phantom`',
    { text: 'A silent thing', id: 'x' },
    { text: 'It is always the own script', indicator: true },
    'Something else if TIDY',
  ],
}

/** Both cases in both arms. */
async function benched(runs: number, args: readonly string[] = []) {
  const skill = makeSkill([tidy, proof])
  const workspace = path.join(fresh(), 'ws')
  const judge = `command:${judgeCommand('critic', fresh())}`
  const command = ['bench', skill, '--engine', tidyAgent, '--judge', judge, '--sandbox', 'off', '--concurrency', '1']
  const end = await runMain([...command, '--runs', String(runs), '--workspace', workspace, '--json', ...args])
  const { folder } = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
  return { skill, workspace, folder }
}

async function critiqued(
  args: readonly string[],
): Promise<{ made: Critique; of: (kind: string) => CritiqueFinding[] }> {
  const end = await runMain(['check', '--critique', ...args, '--json'])
  expect(end.code, end.stderr).toBe(0)
  const made = critiqueSchema.parse(JSON.parse(end.stdout))
  return { made, of: (kind) => made.findings.filter((one) => one.kind === kind) }
}

let ran: Awaited<ReturnType<typeof benched>>
/** With one run an arm. */
let small: typeof ran
beforeAll(async () => {
  small = await benched(1)
  ran = await benched(3, ['--judge-samples', '3'])
})

describe('what it finds', () => {
  let found: Awaited<ReturnType<typeof critiqued>>
  beforeAll(async () => {
    found = await critiqued([ran.folder])
  })

  test('what always passes, by judge or by code, and what never does', () => {
    expect(found.made).toMatchObject({ suite: path.join(ran.skill, 'evals/evals.json'), runs: 12, cases: 2, gone: 0 })
    const numbers = { with_skill: { passed: 3, total: 3 }, without_skill: { passed: 3, total: 3 } }
    expect(found.of('always_passes')).toMatchObject([
      { severity: 'warning', at: '$.evals[0].expectations[0]', numbers: { verdicts: numbers }, edit: { op: 'remove' } },
      { at: '$.evals[0].checks[0]', expectation: expect.stringContaining('answer.txt') },
      { at: '$.evals[1].assertions[0]' },
    ])
    expect(found.of('never_passes')).toMatchObject([{ at: '$.evals[0].expectations[1]', edit: { op: 'reword' } }])
  })
  test('what says what another says', () => {
    const [first] = found.of('redundant')
    expect(first).toMatchObject({ at: '$.evals[0].expectations[3]', edit: { op: 'remove' } })
    expect(first?.message).toContain('"It holds if TIDY" in all 6 runs')
  })
  test('votes that differ', () => {
    const [one, ...more] = found.of('votes_differ')
    expect([one?.at, more]).toEqual(['$.evals[0].expectations[4]', []])
    expect(one?.numbers).toMatchObject({ of: 6, found: 6 })
    expect(one?.numbers.agreement).toBeCloseTo(2 / 3, 3)
  })
  test('what nobody decided, and passes on quotes of nothing: where a file and a text are named, code decides instead', () => {
    expect(found.of('undecided')).toMatchObject([{ at: '$.evals[1].assertions[1]', numbers: { of: 6, found: 6 } }])
    expect(found.of('quotes_not_found')).toMatchObject([
      {
        at: '$.evals[1].assertions[0]',
        numbers: { of: 6, found: 6 },
        edit: { op: 'to_check', check: { type: 'contains', value: 'phantom', path: 'answer.txt' } },
      },
    ])
  })
  test('what judges say of the suite: once a statement, else for the case', () => {
    const [first, second, ...rest] = found.of('feedback')
    expect(first).toMatchObject({ at: '$.evals[0].expectations[0]', severity: 'info', edit: { op: 'reword' } })
    expect(first?.message).toContain('Any answer would meet this.')
    expect(second).toMatchObject({ at: '$.evals[0].expectations', expectation: null, edit: { op: 'add' } })
    expect(rest.every(({ eval_id }) => eval_id === 2)).toBe(true)
  })
  test('a statement that is sound is not mentioned, nor an indicator, which only one arm can meet by construction', () => {
    const named = (some: readonly CritiqueFinding[]) => some.map(({ expectation }) => expectation)
    const judged = named(found.made.findings.filter((one) => one.kind !== 'feedback'))
    expect(judged).not.toContain('It holds if TIDY')
    expect(judged).not.toContain('Something else if TIDY')
    expect(named(found.made.findings)).not.toContain('It is always the own script')
  })
})

describe('how it is said', () => {
  test('in the terminal: file, place, statement, numbers, edit; warnings fail on demand', async () => {
    const end = await runMain(['check', '--critique', ran.workspace])
    expect(end.code).toBe(0)
    expect(end.stdout).toMatch(
      /evals\.json \$\.evals\[0\]\.expectations\[0\]: "It always holds" .*\(with_skill 3\/3, without_skill 3\/3\) \[always_passes\]/,
    )
    expect(end.stdout).toContain('remove: ask for something that only a good answer has')
    expect((await runMain(['check', '--critique', ran.workspace, '--fail-on', 'warning'])).code).toBe(1)
  })
  test('few runs are no certainty', async () => {
    const { of } = await critiqued([small.folder])
    expect(of('always_passes').map(({ severity }) => severity)).toEqual(['info', 'info', 'info'])
    expect(of('always_passes')[0]?.message).toContain('few runs so far')
  })
  test('a verdict that turns when the same transcript is graded again', async () => {
    const judge = ['--judge', `command:${judgeCommand('critic', fresh())}`]
    const flags = ['--again', '3', ...judge, '--sandbox', 'off', '--concurrency', '1']
    const again = await runMain(['grade', small.folder, ...flags])
    expect(again.code, again.stderr).not.toBe(2)
    const { of } = await critiqued([small.folder])
    expect(of('verdict_turns').map(({ at }) => at)).toEqual(['$.evals[0].expectations[4]'])
  })
})

describe('which suite it is for', () => {
  const evals = (...cases: object[]) => JSON.stringify({ skill_name: 'tidy', evals: cases })
  test('statements that it no longer has are left out, and counted', async () => {
    const file = path.join(ran.skill, 'evals/evals.json')
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, evals({ ...tidy, expectations: tidy.expectations.slice(1) }, proof))
    const { made, of } = await critiqued([ran.folder])
    writeFileSync(file, before)
    expect(of('never_passes')[0]?.at).toBe('$.evals[0].expectations[0]')
    expect(of('always_passes')).toHaveLength(2)
    expect(made.gone).toBe(2)
  })
  test('one that is no longer there is said; the skill beside it names another', async () => {
    const { skill, folder } = small
    rmSync(path.join(skill, 'evals'), { recursive: true })
    const { made } = await critiqued([folder])
    expect(made).toMatchObject({ suite: null, notes: [expect.stringContaining('no longer there')] })
    expect(made.findings[0]).toMatchObject({ file: null, at: null })
    const other = makeSkill([proof, tidy])
    const named = await critiqued([folder, other])
    expect(named.made.suite).toBe(path.join(other, 'evals/evals.json'))
    expect(named.of('never_passes')[0]?.at).toBe('$.evals[1].expectations[1]')
  })
})

test.each([
  [['--critique', '/nowhere'], 'no such folder'],
  [['--critique', '.', '--null'], '--critique with --null'],
  [['--critique', '.', 'a', 'b'], '--critique with several skills'],
])('%j is a mistake', async (args, message) => {
  const end = await runMain(['check', ...args])
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining(message)])
})
