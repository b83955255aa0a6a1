/** A suite written as Harbor tasks is sound when it is read again: its references earn the reward, and doing nothing does not. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkReport } from '../../../schemas/check_report.ts'
import { findOnPath } from '../../../src/base/sandbox/programs.ts'
import { runMain } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { fresh, makeSkill } from '../program.ts'

const bwrap = await findOnPath('bwrap', process.env.PATH ?? '')
const pytest = existsSync('/usr/lib/python3/dist-packages/pytest')
const suite = needs('bubblewrap and pytest', bwrap !== null && pytest, 'apt-get install bubblewrap python3-pytest')

const files = {
  'evals/in.csv': '1,2\n',
  'evals/t/test_sum.py': "def test_sum():\n    assert open('sum.txt').read().strip() == '42'\n",
  'evals/verify.sh': 'grep -q 42 sum.txt && echo "score: 1" || echo "score: 0"\n',
  'evals/grade.py':
    'import json, os, sys\ngiven = json.load(sys.stdin)\nplace = os.path.join(given["run_folder"], "sum.txt")\nprint(json.dumps({"passed": os.path.exists(place) and given["final_response"] == "42"}))\n',
}

const solved = { reference: { files: { 'sum.txt': '42\n' } }, prompt: 'Write the sum to sum.txt.' }
const there = { type: 'command', run: 'grep -q start start.txt && git log -1 && test -f sum.txt' }
const cases = [
  {
    ...{ name: 'tests', ...solved, files: ['evals/in.csv'], setup: ['echo "it\'s $((6 * 7))" > made.txt', 'mkdir d'] },
    checks: [
      { type: 'command', run: 'python3 -m pytest --junitxml=junit.xml evals/t', result: 'junit' },
      { type: 'command', run: 'grep -qx "it\'s 42" made.txt && test -d d && test -f sum.txt' },
      { type: 'file_exists', path: 'made.txt', indicator: true },
    ],
  },
  { name: 'score', ...solved, checks: [{ type: 'command', run: 'sh evals/verify.sh', result: 'score_line' }] },
  {
    ...{ name: 'script', ...solved, reference: { ...solved.reference, answer: '42' } },
    checks: [{ type: 'script', script: 'evals/grade.py' }],
  },
  { name: 'bundle', ...solved, git: { bundle: 'evals/start.bundle' }, checks: [there] },
  { name: 'repo', ...solved, repo: { bundle: 'evals/start.bundle' }, checks: [there] },
  {
    ...{ name: 'variable', ...solved, git: true, files: ['evals/in.csv'], env: { WHAT: 'a "b" $c \\d' } },
    checks: [{ type: 'command', run: `test -f sum.txt && test "$WHAT" = 'a "b" $c \\d' && git log -1` }],
  },
  // negative control: its reference does not pass
  {
    name: 'wrong',
    ...solved,
    reference: { files: { 'sum.txt': '41\n' } },
    checks: [{ type: 'command', run: 'sh evals/verify.sh', result: 'score_line' }],
  },
]

function bundle(skill: string): void {
  const folder = fresh()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder })
  git('init', '--quiet', '--initial-branch=main')
  execFileSync('sh', ['-c', 'echo start > start.txt'], { cwd: folder })
  git('add', '--all')
  git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '--quiet', '--message=start')
  git('bundle', 'create', '--quiet', path.join(skill, 'evals/start.bundle'), 'main')
}

suite('a suite written as Harbor tasks', () => {
  test('is sound on this machine, but for the case whose reference is wrong', async () => {
    const evals = cases.map((one, index) => ({ id: index + 1, ...one }))
    const skill = makeSkill(evals, files)
    bundle(skill)
    const tasks = path.join(fresh(), 'tasks')
    const written = await runMain(['convert', skill, '--to', 'harbor', '-o', tasks, '--json'])
    expect(written, written.stderr).toMatchObject({ code: 0 })
    const lost = ['script: the final answer (the task asks for it in /app/answer.txt)']
    expect(JSON.parse(written.stdout)).toMatchObject({ cases: cases.length, lost })
    const tried = await runMain(['check', tasks, '--oracle', '--null', '--json', '--backend', 'plain'])
    const [{ tasks: found = [] } = {}] = checkReport.parse(JSON.parse(tried.stdout)).skills
    const sound = found.map(({ name, sound, reason }) => [name, sound, reason])
    const expected = cases.map(({ name }) => [name, name !== 'wrong', name === 'wrong' ? expect.any(String) : null])
    expect(sound).toEqual(expected.sort(([one], [other]) => String(one).localeCompare(String(other))))
  })
})
