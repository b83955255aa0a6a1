/** grade --session: sessions become runs of an observational benchmark; only statements, never the absence of files, decide. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { claudeSession } from './session_files.ts'

const check = { type: 'contains', value: 'done', target: 'answer' }
const suiteOf = (checks: readonly object[]) => ({ skill_name: 'demo', evals: [{ id: 1, prompt: 'add it up', checks }] })

/** Two sessions with the skill, one of which answers well, and one without it that does not. */
function place(checks: readonly object[] = [check]): string {
  const cwd = fresh()
  mkdirSync(path.join(cwd, 'demo/evals'), { recursive: true })
  mkdirSync(path.join(cwd, 'sess'))
  writeFileSync(path.join(cwd, 'demo/SKILL.md'), '---\nname: demo\ndescription: Shows things.\n---\nBODY\n')
  writeFileSync(path.join(cwd, 'demo/evals/evals.json'), JSON.stringify(suiteOf(checks)))
  writeFileSync(path.join(cwd, 'sess/a.jsonl'), claudeSession())
  writeFileSync(path.join(cwd, 'sess/b.jsonl'), claudeSession({ skill: false, answer: 'no' }))
  writeFileSync(path.join(cwd, 'sess/c.jsonl'), claudeSession({ prompt: 'Something else' }))
  return cwd
}

const grade = (cwd: string, ...more: string[]) =>
  runMain(['grade', '--session', 'sess', '--skill', 'demo', ...more], { cwd })

/** Whether each statement of the run passed. */
function readPassed(cwd: string, run: string): boolean[] {
  const { expectations } = JSON.parse(readResult(cwd, `eval-1-add-it-up/${run}/grading.json`))
  return expectations.map(({ passed }: { passed: boolean }) => passed)
}

function readResult(cwd: string, name: string) {
  const [stamp = ''] = readdirSync(path.join(cwd, 'workspaces/demo/recorded')).sort()
  return readFileSync(path.join(cwd, 'workspaces/demo/recorded', stamp, name), 'utf8')
}

test('compares, says everywhere that it is observational, and tests nothing', async () => {
  const cwd = place()
  const { code, stdout, stderr } = await grade(cwd, '--gate', 'run_summary.with_skill.pass_rate.mean >= 1')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stderr).toContain('1 of 3 sessions are not graded')
  const benchmark = JSON.parse(readResult(cwd, 'benchmark.json'))
  expect(benchmark).toMatchObject({ observational: true, complete: true, counts: { planned: 2, used: 2 } })
  expect(benchmark.run_summary).toMatchObject({
    with_skill: { pass_rate: { mean: 1 } },
    without_skill: { pass_rate: { mean: 0 } },
  })
  expect(benchmark.statistics.scopes.these_cases).toMatchObject({ verdict: 'inconclusive', rule: 'observational' })
  expect(benchmark.statistics.scopes.these_cases.difference).toMatchObject({ mean: 1, p_value: null, p_exact: null })
  const said = 'people chose when to use the skill; differences may have other causes'
  for (const text of [stdout.replaceAll(/\s+/g, ' '), readResult(cwd, 'benchmark.md'), readResult(cwd, 'report.html')])
    expect(text).toContain(said)
  const run = JSON.parse(readResult(cwd, 'eval-1-add-it-up/with_skill/run-1/run.json'))
  expect(run).toMatchObject({ observed: true, skill: { offered: true, read: true }, engine: { name: 'claude-code' } })
})

test('checks on files are undecided, until --files names the folder', async () => {
  const cwd = place([
    { type: 'file_exists', path: 'out.txt' },
    { type: 'file_absent', path: 'no.txt' },
  ])
  expect((await grade(cwd)).code).toBe(3)
  const grading = JSON.parse(readResult(cwd, 'eval-1-add-it-up/with_skill/run-1/grading.json'))
  expect(grading.expectations).toEqual([])
  expect(grading.judge_errors.map(({ reason }: { reason: string }) => reason)).toEqual(
    Array(2).fill(expect.stringContaining('give the folder with --files')),
  )
  mkdirSync(path.join(cwd, 'left'))
  writeFileSync(path.join(cwd, 'left/out.txt'), 'x')
  const one = ['grade', '--session', 'sess/a.jsonl', '--skill', 'demo', '--files', 'left']
  const { code, stdout } = await runMain(one, { cwd })
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.anything() })
})

const later = [check, { type: 'contains', value: 'mean', target: 'answer', turn: 2 }]

test('a statement about a later message is graded on the answer to it, or left out if there is no such message', async () => {
  const cwd = place(later)
  writeFileSync(
    path.join(cwd, 'sess/a.jsonl'),
    claudeSession({ more: [{ prompt: 'And now?', answer: 'the mean is done' }] }),
  )
  writeFileSync(path.join(cwd, 'sess/d.jsonl'), claudeSession({ id: 'd', more: [{ prompt: 'And?', answer: 'no' }] }))
  const { code, stderr } = await grade(cwd, '--json')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(readPassed(cwd, 'with_skill/run-1')).toEqual([true, true])
  expect(readPassed(cwd, 'with_skill/run-2')).toEqual([false, false])
  expect(readPassed(cwd, 'without_skill/run-1')).toEqual([false])
  const run = JSON.parse(readResult(cwd, 'eval-1-add-it-up/with_skill/run-1/run.json'))
  expect(run.conversation.turns.map(({ prompt }: { prompt: string }) => prompt)).toEqual(['Add it up.', 'And now?'])
  const plan = JSON.parse(readResult(cwd, 'plan.json'))
  expect(plan.warnings).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/^1 statement over 3 sess/) }),
  ])
})

const failedCall = { type: 'system', subtype: 'api_error', content: 'overloaded', sessionId: 's', uuid: 'last' }

test.each([
  ['no answer', claudeSession({ skill: false }).split('\n').slice(0, 3).join('\n'), 'the session has no answer'],
  ['an error at its end', `${claudeSession({ skill: false })}${JSON.stringify(failedCall)}\n`, 'ended with an error'],
])('a session with %s is a failed run in no rate; without that it is graded', async (_, text, message) => {
  const cwd = place()
  const file = path.join(cwd, 'sess/b.jsonl')
  const whole = readFileSync(file, 'utf8')
  writeFileSync(file, text)
  const { code } = await grade(cwd)
  expect(code).toBe(3)
  const run = JSON.parse(readResult(cwd, 'eval-1-add-it-up/without_skill/run-1/run.json'))
  expect(run).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(message) } })
  expect(JSON.parse(readResult(cwd, 'benchmark.json')).counts).toMatchObject({ planned: 2, used: 1 })
  writeFileSync(file, whole)
  expect((await grade(cwd)).code).toBe(0)
})

test('clean lists recorded sessions, keeps the last ones, and removes their transcripts; benchmarks have no part in it', async () => {
  const cwd = place()
  await grade(cwd)
  const shown = await runMain(['clean', '--json'], { cwd })
  expect(JSON.parse(shown.stdout).workspaces[0].kinds).toContainEqual(
    expect.objectContaining({ kind: 'recorded', folders: 1 }),
  )
  const removed = await runMain(['clean', '--transcripts', '--yes', '--json'], { cwd })
  expect(JSON.parse(removed.stdout).removals).toEqual([expect.objectContaining({ kind: 'recorded' })])
  expect(() => readResult(cwd, 'eval-1-add-it-up/with_skill/run-1/transcript.jsonl')).toThrow('ENOENT')
  expect(readPassed(cwd, 'with_skill/run-1')).toEqual([true])
})

test.each([
  [['--session', 'none'], 'no such file'],
  [['--session', 'demo/SKILL.md', '--skill', 'demo'], 'not a session'],
  [['--session', 'sess'], 'no statements'],
  [['--session', 'sess/c.jsonl', '--skill', 'demo'], 'no session begins with the prompt of a case'],
  [['--session', 'sess', '--skill', 'demo', '--files', 'demo'], '3 sessions, and one folder'],
  [['--session', 'sess', '--skill', 'demo', '--fail-on', 'hurts'], '"verdict != hurts" with --session: recorded'],
  [['--session', 'sess', '--skill', 'demo', '--gate', 'ci_low > 0'], '"ci_low > 0" with --session: recorded'],
  [['bench', '--expect', 'x'], '--expect without --session'],
  [[], 'nothing to grade'],
])('%j is refused before anything is written', async (args, message) => {
  const cwd = place()
  const more = args.includes('none') ? ['--skill', 'demo'] : []
  const { code, stderr } = await runMain(['grade', ...args, ...more], { cwd })
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  expect(existsSync(path.join(cwd, 'workspaces'))).toBe(false)
})
