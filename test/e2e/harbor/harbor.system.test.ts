/** Harbor tasks without Docker: tried by check, run by bench and eval, verified after the agent, and closed to it. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkReport } from '../../../schemas/check_report.ts'
import { grading } from '../../../schemas/grading.ts'
import { runRecord } from '../../../schemas/run.ts'
import { findOnPath } from '../../../src/base/sandbox/programs.ts'
import { runMain } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { agent, fresh } from '../program.ts'

const examples = path.join(import.meta.dirname, '../../../workspaces/example-harbor')
const bwrap = await findOnPath('bwrap', process.env.PATH ?? '')
const pytest = existsSync('/usr/lib/python3/dist-packages/pytest')
const suite = needs('bubblewrap and pytest', bwrap !== null && pytest, 'apt-get install bubblewrap python3-pytest')

const plain = ['--backend', 'plain']
const trying = ['--oracle', '--null', ...plain]

/** A copy of the example tasks, to change them. */
function copyExamples(): string {
  const folder = path.join(fresh(), 'tasks')
  cpSync(examples, folder, { recursive: true })
  return folder
}

interface Run {
  folder: string
  grading: ReturnType<typeof grading.parse>
  said: Record<string, unknown>
}

/** Benches one task with the agent that solves and attacks; gives its run in each configuration. */
async function benchTask(tasks: string, name: string, code: number): Promise<Record<string, Run>> {
  const engine = `${agent('harbor.mjs')} ${path.join(tasks, name)}`
  const args = [
    'bench',
    tasks,
    '--case',
    name,
    '--backend',
    'plain',
    '--runs',
    '1',
    '--engine',
    engine,
    '--retries',
    '0',
    '--json',
  ]
  const end = await runMain(args)
  expect(end).toMatchObject({ code, stderr: '' })
  const { folder } = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
  const [own = ''] = readdirSync(folder).filter((one) => one.startsWith('eval-'))
  const runs = readdirSync(path.join(folder, own), { withFileTypes: true }).filter((one) => one.isDirectory())
  return Object.fromEntries(runs.map(({ name: arm }) => [arm, readRun(path.join(folder, own, arm, 'run-1'))]))
}

function readRun(folder: string): Run {
  const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
  return {
    folder,
    grading: grading.parse(read('grading.json')),
    said: JSON.parse(runRecord.parse(read('run.json')).final_response),
  }
}

suite('Harbor tasks', () => {
  test('check --oracle --null says which tasks are sound here, and why the others are not', async () => {
    const { code, stdout } = await runMain(['check', examples, ...trying, '--json'])
    expect(code).toBe(1)
    const [{ tasks } = { tasks: undefined }] = checkReport.parse(JSON.parse(stdout)).skills
    expect(tasks).toEqual([
      {
        eval_id: 1,
        name: 'count-words',
        oracle: { reward: 1 },
        null: expect.objectContaining({ reward: 0 }),
        sound: true,
        reason: null,
      },
      {
        eval_id: 2,
        name: 'price-report',
        oracle: { reward: 1 },
        null: expect.objectContaining({ reward: 0 }),
        sound: true,
        reason: null,
      },
      expect.objectContaining({ name: 'round-half', sound: false, reason: 'the solution earns 0' }),
    ])
    const text = await runMain(['check', examples, ...trying])
    expect(text.stdout).toContain('2 of 3 tasks are sound on this machine')
    expect(text.stderr).toMatch(/\[3\/3\]/)
  })

  test('a task that rewards doing nothing is not sound', async () => {
    const tasks = copyExamples()
    writeFileSync(path.join(tasks, 'round-half/tests/test.sh'), 'echo 1 > /logs/verifier/reward.txt\n')
    const { stdout } = await runMain(['check', path.join(tasks, 'round-half'), ...trying, '--json'])
    expect(checkReport.parse(JSON.parse(stdout)).skills[0]?.tasks).toMatchObject([
      { sound: false, reason: 'doing nothing earns the full reward' },
    ])
  })

  test('bench lays the skill of the task in one configuration, and the reward is the pass rate', async () => {
    const runs = await benchTask(examples, 'count-words', 0)
    const rates = Object.fromEntries(Object.entries(runs).map(([arm, run]) => [arm, run.grading.summary.pass_rate]))
    expect(rates).toEqual({ with_skill: 1, without_skill: 0 })
    const [verdict] = runs.without_skill?.grading.expectations ?? []
    expect(verdict).toMatchObject({ decided_by: 'check:verifier', score: 0 })
    expect(verdict?.tests?.map(({ passed }) => passed)).toEqual([true, false])
  })

  test('no run sees tests, solution or the task, nor plants a reward', async () => {
    const tasks = copyExamples()
    writeFileSync(path.join(tasks, 'count-words/tests/test.sh'), 'ls /tests /logs/verifier\n') // gives no reward
    const { with_skill: run } = await benchTask(tasks, 'count-words', 3)
    expect(run?.said).toMatchObject({ cwd: '/app', tests: null, solution: null, task: null })
    expect(run?.grading.judge_errors).toMatchObject([{ reason: expect.stringContaining('wrote no reward') }])
    expect(readFileSync(path.join(run?.folder ?? '', 'verifier/output.txt'), 'utf8')).toContain('test_outputs.py')
    expect(readdirSync(path.join(run?.folder ?? '', 'verifier'))).toEqual(['output.txt'])
  })

  test('control: the agent reads what is in its world, and a reward of the verifier counts', async () => {
    const tasks = copyExamples()
    writeFileSync(path.join(tasks, 'count-words/tests/test.sh'), 'echo 1 > /logs/verifier/reward.txt\n')
    const { without_skill: run } = await benchTask(tasks, 'count-words', 0)
    expect(run?.said).toMatchObject({ notes: 'The harbor' })
    expect(run?.grading.summary.pass_rate).toBe(1)
  })

  test('the verifier sees the same working folder in both configurations: the skill is removed first', async () => {
    const tasks = copyExamples()
    const script = '[ -f report.txt ] && [ "$(ls -A)" = "$(ls)" ] && echo 1 > /logs/verifier/reward.txt\n'
    writeFileSync(path.join(tasks, 'count-words/tests/test.sh'), script)
    const runs = await benchTask(tasks, 'count-words', 0)
    expect(Object.values(runs).map((run) => run.grading.summary.pass_rate)).toEqual([1, 1])
  })

  test('a verifier that does not end in time, and one that could not run its tests, decide nothing', async () => {
    const tasks = copyExamples()
    const script = path.join(tasks, 'count-words/tests/test.sh')
    writeFileSync(path.join(tasks, 'count-words/task.toml'), '[verifier]\ntimeout_sec = 1\n')
    writeFileSync(script, 'sleep 30\necho 1 > /logs/verifier/reward.txt\n')
    const { with_skill: slow } = await benchTask(tasks, 'count-words', 3)
    expect(slow?.grading.judge_errors).toMatchObject([{ reason: expect.stringContaining('no end within 1 s') }])
    writeFileSync(
      script,
      'pytest --ctrf /logs/verifier/ctrf.json /tests/no_such_file.py\necho 0 > /logs/verifier/reward.txt\n',
    )
    const { with_skill: broken } = await benchTask(tasks, 'count-words', 3)
    expect(broken?.grading.judge_errors).toHaveLength(1)
  })

  test('a task without a skill is left to eval, and --sandbox off is refused', async () => {
    const bench = await runMain(['bench', path.join(examples, 'round-half'), '--engine', agent('harbor.mjs'), ...plain])
    expect(bench).toMatchObject({ code: 2, stderr: expect.stringContaining('it brings no skill') })
    const off = await runMain(['bench', examples, '--engine', agent('harbor.mjs'), ...plain, '--sandbox=off'])
    expect(off).toMatchObject({ code: 2, stderr: expect.stringContaining('Harbor tasks write to absolute paths') })
  })

  test('a queue is refused before any run', async () => {
    const queue = ['--queue', 'redis://127.0.0.1:1', '--shared', fresh(), '--engine', agent('harbor.mjs'), ...plain]
    const end = await runMain(['bench', examples, ...queue])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('Harbor tasks do not run through a queue') })
  })

  test('a Dockerfile that can not be followed fails the run as setup, with its line', async () => {
    const tasks = copyExamples()
    writeFileSync(
      path.join(tasks, 'count-words/environment/Dockerfile'),
      'FROM debian\nWORKDIR /app\nRUN echo no >&2; exit 4\n',
    )
    const args = ['bench', tasks, '--case', 'count-words', '--runs', '1', '--retries', '0', ...plain]
    const { code, stderr } = await runMain([...args, '--engine', agent('harbor.mjs')])
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Dockerfile line 3: exit code 4: no'),
    })
  })
})
