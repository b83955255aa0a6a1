/**
 * Harbor tasks without Docker: tried by check, run by bench, verified after the agent, and closed to it, to its attacks and to those of a task.
 * In containers they run on a stand-in for Docker: Docker itself has not run them.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkReport } from '../../../schemas/check_report.ts'
import { grading } from '../../../schemas/grading.ts'
import { runRecord } from '../../../schemas/run.ts'
import { listPlainFiles } from '../../../src/base/fs/files.ts'
import { findOnPath } from '../../../src/base/sandbox/programs.ts'
import { runMain } from '../../cli/run_main.ts'
import { agent, fresh, makeSkill } from '../../e2e/program.ts'
import { type FakeDocker, fakeDocker } from '../../fixtures/docker/fake_docker.ts'
import { needs } from '../../require.ts'
import { foundSandbox, needsSandbox } from '../../sandbox/needs_sandbox.ts'

const examples = path.join(import.meta.dirname, '../../../workspaces/example-harbor')
const bwrap = await findOnPath('bwrap', process.env.PATH ?? '')
const pytest = existsSync('/usr/lib/python3/dist-packages/pytest')
const suite = needs('bubblewrap and pytest', bwrap !== null && pytest, 'apt-get install bubblewrap python3-pytest')

const plain = ['--backend', 'plain']
const trying = ['--oracle', '--null', ...plain]

/** A copy of a task with other files. */
function taskWith(files: Record<string, string>, name = 'count-words'): string {
  const folder = path.join(fresh(), name)
  cpSync(path.join(examples, name), folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text)
  return folder
}

/** The task with this verifier. */
const verifiedBy = (script: string) => taskWith({ 'tests/test.sh': script })
const inDockerfile = (lines: string) => taskWith({ 'environment/Dockerfile': `FROM debian\n${lines}` })

interface Bench {
  engine?: string
  env?: Record<string, string>
}

/** `bench` once of each configuration, with the agent that solves and attacks unless another is given. */
function bench(folder: string, { engine = `${agent('harbor.mjs')} ${folder}`, env = {} }: Bench, ...flags: string[]) {
  const args = ['bench', folder, ...plain, '--runs', '1', '--retries', '0', '--engine', engine, ...flags]
  return runMain([...args, ...Object.keys(env).flatMap((name) => ['--pass-env', name])], { env })
}

/** Benches it; gives each configuration's run. */
async function benched(folder: string, code: number, how: Bench = {}) {
  const end = await bench(folder, how, '--json')
  expect(end).toMatchObject({ code, stderr: '' })
  const results = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
  const [own = ''] = readdirSync(results).filter((one) => one.startsWith('eval-'))
  const readRun = (arm: string) => {
    const run = path.join(results, own, arm, 'run-1')
    const read = (name: string): unknown => JSON.parse(readFileSync(path.join(run, name), 'utf8'))
    const record = runRecord.parse(read('run.json'))
    const output = path.join(run, 'verifier/output.txt')
    return {
      ...{ folder: run, record, grading: grading.parse(read('grading.json')) },
      ...{ said: JSON.parse(record.final_response), output: existsSync(output) ? readFileSync(output, 'utf8') : '' },
    }
  }
  return { with_skill: readRun('with_skill'), without_skill: readRun('without_skill') }
}

const tried = async (place: string) =>
  checkReport.parse(JSON.parse((await runMain(['check', place, ...trying, '--json'])).stdout)).skills[0]?.tasks ?? []

suite('Harbor tasks', () => {
  test('check --oracle --null says which tasks are sound here, and why the others are not', async () => {
    const { code, stdout, stderr } = await runMain(['check', examples, ...trying])
    expect(code).toBe(1)
    expect(stdout).toContain('2 of 3 tasks are sound on this machine')
    expect(stdout).toContain('the solution earns 0')
    expect(stderr).toMatch(/\[3\/3\]/)
    const gift = taskWith({ 'tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n' }, 'round-half')
    expect(await tried(gift)).toMatchObject([{ sound: false, reason: 'doing nothing earns the full reward' }])
  })

  test('bench lays the skill of the task in one configuration, and the reward is the pass rate', async () => {
    const runs = await benched(path.join(examples, 'count-words'), 0)
    const rates = Object.entries(runs).map(([arm, run]) => [arm, run.grading.summary.pass_rate])
    expect(rates).toEqual([
      ['with_skill', 1],
      ['without_skill', 0],
    ])
    const [verdict] = runs.without_skill.grading.expectations
    expect(verdict).toMatchObject({ decided_by: 'check:verifier', score: 0 })
    expect(verdict?.tests?.map(({ passed }) => passed)).toEqual([true, false])
  })

  test('no run sees tests, solution or the task, nor plants a reward', async () => {
    const { with_skill: run } = await benched(verifiedBy('ls /tests /logs/verifier\n'), 3) // gives no reward
    expect(run.said).toMatchObject({ cwd: '/app', tests: null, solution: null, task: null })
    expect(run.grading.judge_errors).toMatchObject([{ reason: expect.stringContaining('wrote no reward') }])
    expect(run.output).toContain('test_outputs.py')
    expect(readdirSync(path.join(run.folder, 'verifier'))).toEqual(['output.txt'])
  })

  test('the verifier sees the same working folder in both configurations; control: the agent reads what is in its world', async () => {
    const script = '[ -f report.txt ] && [ "$(ls -A)" = "$(ls)" ] && echo 1 > /logs/verifier/reward.txt\n'
    const runs = await benched(verifiedBy(script), 0)
    expect(Object.values(runs).map((run) => run.grading.summary.pass_rate)).toEqual([1, 1])
    expect(runs.without_skill.said).toMatchObject({ notes: 'The harbor' })
  })

  test('a verifier that what the agent left keeps from its end is a fail; one that could not run its tests decides nothing', async () => {
    const slow = taskWith({
      'task.toml': '[verifier]\ntimeout_sec = 1\n',
      'tests/test.sh': 'sleep 30\necho 1 > /logs/verifier/reward.txt\n',
    })
    const { with_skill: late } = await benched(slow, 0)
    expect(late.grading.expectations).toMatchObject([
      { passed: false, unreadable: true, evidence: expect.stringContaining('no end within 1 s') },
    ])
    const script = 'pytest --ctrf /logs/verifier/ctrf.json /tests/no_such_file.py\necho 0 > /logs/verifier/reward.txt\n'
    const { with_skill: broken } = await benched(verifiedBy(script), 3)
    expect(broken.grading.judge_errors).toHaveLength(1)
  })

  test.each([
    ['a task without a skill', ['round-half'], 'it brings no skill'],
    ['--sandbox off', ['count-words', '--sandbox=off'], 'Harbor tasks write to absolute paths'],
    ['a queue', ['count-words', '--queue', 'redis://127.0.0.1:1', '--shared', fresh()], 'do not run through a queue'],
  ])('%s is refused before any run', async (_, [task = '', ...flags], said) => {
    const args = ['bench', path.join(examples, task), '--engine', agent('harbor.mjs'), ...plain, ...flags]
    expect(await runMain(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) })
  })
})

suite('attacks on Harbor tasks', () => {
  test('an agent earns nothing by what it leaves, and its links lead nowhere', async () => {
    const outside = fresh()
    writeFileSync(path.join(outside, 'secret.txt'), 'TOPSECRET')
    mkdirSync(path.join(outside, 'escaped'))
    const engine = `${agent('harbor_attack.mjs')} ${outside}`
    const runs = await benched(inDockerfile('WORKDIR /app/project\nCOPY notes.txt /app/\n'), 0, { engine })
    for (const { folder, grading, record } of Object.values(runs)) {
      expect(grading).toMatchObject({ summary: { pass_rate: 0, failed: 1 } })
      expect(grading.judge_errors ?? []).toEqual([])
      expect(record.outputs.files.map((file) => file.path)).not.toContain('secret.txt')
      for (const file of listPlainFiles(folder)) expect(readFileSync(file, 'utf8')).not.toContain('TOPSECRET')
    }
    // control: the attacks did happen
    expect(runs.without_skill.said).toEqual({ isReplaced: true, mounts: expect.toSatisfy((count) => count > 0) })
    expect(runs.without_skill.record.outputs.left_out).toEqual([{ path: '.', reason: 'a link' }])
    expect(readdirSync(path.join(outside, 'escaped'))).toEqual([])
  })

  test('what a verifier leaves in its logs can not end the benchmark, and secrets are removed from it', async () => {
    const verifier = [
      'mkdir -p /logs/verifier/output.txt/x /logs/verifier/closed',
      'touch /logs/verifier/output.txt/x/y /logs/verifier/closed/z',
      'chmod 0 /logs/verifier/closed',
      'mkfifo /logs/verifier/pipe',
      'ln -s /etc/passwd /logs/verifier/link',
      'for i in $(seq 300); do echo > /logs/verifier/file-$i; done',
      'head -c 6000000 /dev/zero > /logs/verifier/large',
      'echo "$MY_API_KEY" | tee /logs/verifier/printed',
      'echo 1 > /logs/verifier/reward.txt',
    ].join('\n')
    const env = { MY_API_KEY: 'sk-very-secret-value-1234567890' }
    const { with_skill: run } = await benched(verifiedBy(verifier), 0, { env })
    const kept = readdirSync(path.join(run.folder, 'verifier'))
    expect(kept.length).toBeLessThanOrEqual(101)
    expect(kept).not.toContain('link')
    expect(kept).not.toContain('large')
    expect(run.output).not.toContain(env.MY_API_KEY)
    expect(run.output).toContain('[redacted:MY_API_KEY]')
  })

  test('variables of a task that change programs outside of its sandbox are left out', async () => {
    const variables = 'LD_PRELOAD=/x.so ANTHROPIC_BASE_URL=http://x MINE=1'
    const task = inDockerfile(`WORKDIR /app\nCOPY notes.txt /app\nENV ${variables}\n`)
    writeFileSync(path.join(task, 'tests/test.sh'), 'env; echo 1 > /logs/verifier/reward.txt\n')
    const { with_skill: run } = await benched(task, 0)
    expect(run.output).not.toMatch(/LD_PRELOAD|ANTHROPIC_BASE_URL/)
    expect(run.output).toMatch(/^MINE=1$/m)
  })

  test.each([
    [
      'a copy through a link of the Dockerfile',
      'RUN ln -s OUTSIDE /app/out\nCOPY notes.txt /app/out/notes.txt\n',
      /leads out/,
    ],
    ['a working folder that is a link', 'RUN ln -s OUTSIDE /app/out\nWORKDIR /app/out/in\n', /link/],
    ['a folder of an engine that is a link', 'RUN ln -s OUTSIDE /root/.codex\n', /leads out/],
    ['a command that does not end', 'RUN sleep 60\n', /no end within 1 s/],
    ['a command that fails', 'RUN echo no >&2; exit 4\n', /Dockerfile line 3: exit code 4: no/],
  ])('%s fails the run as setup', async (_, lines, reason) => {
    const outside = fresh()
    const folder = inDockerfile(`WORKDIR /app\n${lines.replaceAll('OUTSIDE', outside)}`)
    writeFileSync(path.join(folder, 'task.toml'), '[environment]\nbuild_timeout_sec = 1\n')
    const { code, stderr } = await bench(folder, {})
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringMatching(reason) })
    expect(stderr).not.toMatch(/^ +at /m)
    expect(readdirSync(outside)).toEqual([])
  })
})

/** Written as Harbor tasks: its references earn the reward when it is read again, and doing nothing does not. */
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
    const sound = (await tried(tasks)).map(({ name, sound, reason }) => [name, sound, reason])
    const expected = cases.map(({ name }) => [name, name !== 'wrong', name === 'wrong' ? expect.any(String) : null])
    expect(sound).toEqual(expected.sort(([one], [other]) => String(one).localeCompare(String(other))))
  })
})

/** Uses the skill where it is installed; says what it sees of the tests, and plants a reward. */
const containedAgent = `cat > /dev/null
echo "tests: $(cat /tests/* /solution/* 2>&1)"
mkdir -p /logs/verifier && echo '{"reward": 1}' > /logs/verifier/reward.json
if [ -e .claude/skills/totals/SKILL.md ]; then
  awk -F, 'NR > 1 { sum += $2 } END { printf "%.2f\\n", sum }' /data/prices.csv > /output/total.txt
fi
echo done > note.txt
`

async function benchContained(docker: FakeDocker, ...more: string[]) {
  const cwd = fresh()
  writeFileSync(path.join(cwd, 'agent.sh'), containedAgent)
  const engine = ['--engine', 'command:sh agent.sh', '--runs', '1', '--workspace', 'ws']
  const args = ['bench', examples, '--case', 'price-report', ...engine, ...more]
  const end = await runMain(args, { cwd, env: docker.env })
  const runs = path.join(cwd, 'ws/benchmarks')
  const read = (configuration: string, file: string) => {
    const [benchmark = ''] = readdirSync(runs)
    const [folder = ''] = readdirSync(path.join(runs, benchmark)).filter((name) => name.startsWith('eval-'))
    return JSON.parse(readFileSync(path.join(runs, benchmark, folder, configuration, 'run-1', file), 'utf8'))
  }
  return { end, read }
}

needsSandbox('bench in containers (on a stand-in for Docker)', () => {
  test('gives the reward of the task, with and without its skill, and shows no test to the agent', async () => {
    const docker = fakeDocker(fresh())
    const { end, read } = await benchContained(docker, '--backend', 'docker')
    expect(end.stderr + end.stdout).toContain('50% with the skill, 0% without')
    expect(end.stdout + end.stderr).toContain(`Harbor tasks: containers of ${docker.env.PATH.split(':')[0]}/docker`)
    for (const configuration of ['with_skill', 'without_skill']) {
      const run = read(configuration, 'run.json')
      expect(run).toMatchObject({ status: 'completed', sandbox: { mechanism: 'container', network: 'none' } })
      expect(run.final_response).not.toContain('#!/bin/bash')
      expect(run.final_response).toContain('/tests/*')
      expect(run.outputs.files.map(({ path: file }: { path: string }) => file)).toEqual(['note.txt'])
    }
    expect(readdirSync(path.join(docker.env.DOCKER_FAKE, 'containers'))).toEqual([])
    expect(docker.called('build')).toHaveLength(1)
  })

  test('check tries the tasks there', async () => {
    const docker = fakeDocker(fresh())
    const flags = ['--oracle', '--null', '--json', '--backend', 'docker']
    const end = await runMain(['check', path.join(examples, 'price-report'), ...flags], { env: docker.env })
    expect(JSON.parse(end.stdout).skills[0].tasks).toMatchObject([{ name: 'price-report', sound: true }])
    expect(docker.called('build').length).toBeGreaterThan(0)
  })
})

describe('--backend', () => {
  const down = () => {
    const docker = fakeDocker(fresh())
    writeFileSync(path.join(docker.env.DOCKER_FAKE, 'down'), '')
    return docker
  }
  test('docker without its engine is refused, with the fix', async () => {
    const { end } = await benchContained(down(), '--backend', 'docker')
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('--backend docker: docker info: Cannot connect to the Docker daemon')
    expect(end.stderr).toContain('hint: start Docker')
  })
  test('a Dockerfile that fetches a file itself is refused in a container without a network', async () => {
    const docker = fakeDocker(fresh())
    const tasks = fresh()
    cpSync(path.join(examples, 'price-report'), path.join(tasks, 'price-report'), { recursive: true })
    appendFileSync(path.join(tasks, 'price-report/environment/Dockerfile'), '\nADD https://host.example/x /data/x\n')
    const try_ = async (...more: string[]) => {
      const end = await runMain(['check', tasks, '--null', '--json', '--backend', 'docker', ...more], {
        env: docker.env,
      })
      return JSON.parse(end.stdout).skills[0].tasks[0]
    }
    expect(await try_()).toMatchObject({
      sound: false,
      reason: expect.stringContaining('adds a file from the network'),
    })
    expect(docker.called('build')).toEqual([])
    await try_('--network', 'setup')
    expect(docker.called('build')).toHaveLength(1)
  })
  test('auto takes the next one, where neither Docker nor Podman answers', async () => {
    const docker = down()
    const [bin = ''] = docker.env.PATH.split(path.delimiter)
    writeFileSync(path.join(bin, 'podman'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const { end } = await benchContained(docker, '--dry-run')
    expect(end.stdout + end.stderr).toMatch(foundSandbox.ok ? /Harbor tasks: bubblewrap/ : /start Docker or Podman/)
  })
  test('refuses an agent in a container that can not reach its model, and accepts it with an open network', async () => {
    const docker = fakeDocker(fresh())
    const bin = path.join(fresh(), 'own')
    mkdirSync(bin)
    const program = path.join(bin, 'claude')
    writeFileSync(program, '#!/bin/sh\necho "2.1.90 (Claude Code)"\n', { mode: 0o755 })
    const how = ['--case', 'price-report', '--engine', 'claude-code', '--backend', 'docker', '--dry-run']
    const args = ['bench', examples, ...how]
    const env = { ...docker.env, WHETSTONE_CLAUDE: program, ANTHROPIC_API_KEY: 'x' }
    const closed = await runMain(args, { env })
    expect(closed.stdout + closed.stderr).toContain("which have no network, so it can't reach its model")
    const open = await runMain([...args, '--network', 'open'], { env })
    expect(open.stdout + open.stderr).not.toContain("can't reach its model")
    const ofSystem = await runMain([...args, '--network', 'open'], {
      env: { ...env, WHETSTONE_CLAUDE: '/usr/bin/env' },
    })
    expect(ofSystem.stdout + ofSystem.stderr).toContain('/usr/bin/env is in a folder of the system')
  })
})
