/** Agents and tasks that attack: a reward that was not earned, and files of this machine. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { grading } from '../../../schemas/grading.ts'
import { runRecord } from '../../../schemas/run.ts'
import { listPlainFiles } from '../../../src/base/fs/files.ts'
import { findOnPath } from '../../../src/base/sandbox/programs.ts'
import { runMain } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { agent, fresh } from '../program.ts'

const examples = path.join(import.meta.dirname, '../../../workspaces/example-harbor')
const bwrap = await findOnPath('bwrap', process.env.PATH ?? '')
const pytest = existsSync('/usr/lib/python3/dist-packages/pytest')
const suite = needs('bubblewrap and pytest', bwrap !== null && pytest, 'apt-get install bubblewrap python3-pytest')

interface Task {
  dockerfile?: string
  verifier?: string
}

/** The task count-words with changes. */
function makeTask({ dockerfile, verifier }: Task): string {
  const folder = path.join(fresh(), 'count-words')
  cpSync(path.join(examples, 'count-words'), folder, { recursive: true })
  if (dockerfile !== undefined) writeFileSync(path.join(folder, 'environment/Dockerfile'), dockerfile)
  if (verifier !== undefined) writeFileSync(path.join(folder, 'tests/test.sh'), verifier)
  return folder
}

/** Benches it; gives each configuration's run. */
async function bench(folder: string, engine: string, code: number, env: Record<string, string> = {}) {
  const args = ['bench', folder, '--backend', 'plain', '--runs', '1', '--engine', engine, '--retries', '0', '--json']
  const end = await runMain([...args, ...Object.keys(env).flatMap((name) => ['--pass-env', name])], { env })
  expect(end).toMatchObject({ code, stderr: '' })
  const results = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
  const own = path.join(results, 'eval-1-count-words')
  return ['with_skill', 'without_skill'].map((arm) => {
    const run = path.join(own, arm, 'run-1')
    const read = (name: string): unknown => JSON.parse(readFileSync(path.join(run, name), 'utf8'))
    return { folder: run, grading: grading.parse(read('grading.json')), record: runRecord.parse(read('run.json')) }
  })
}

const inProject = 'FROM debian\nWORKDIR /app/project\nCOPY notes.txt /app/\n'

suite('attacks on Harbor tasks', () => {
  test('an agent earns nothing by what it leaves, and its links lead nowhere', async () => {
    const outside = fresh()
    writeFileSync(path.join(outside, 'secret.txt'), 'TOPSECRET')
    mkdirSync(path.join(outside, 'escaped'))
    const runs = await bench(makeTask({ dockerfile: inProject }), `${agent('harbor_attack.mjs')} ${outside}`, 0)
    for (const { folder, grading, record } of runs) {
      expect(grading).toMatchObject({ summary: { pass_rate: 0, failed: 1 } })
      expect(grading.judge_errors ?? []).toEqual([])
      expect(record.outputs.files.map((file) => file.path)).not.toContain('secret.txt')
      for (const file of listPlainFiles(folder)) expect(readFileSync(file, 'utf8')).not.toContain('TOPSECRET')
    }
    const [, without] = runs
    // control: the attacks did happen
    expect(JSON.parse(without?.record.final_response ?? '')).toEqual({ isReplaced: true, mounts: 1 })
    expect(without?.record.outputs.left_out).toEqual([{ path: '.', reason: 'a link' }])
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
    const [run] = await bench(makeTask({ verifier }), agent('harbor.mjs'), 0, env)
    const kept = readdirSync(path.join(run?.folder ?? '', 'verifier'))
    expect(kept.length).toBeLessThanOrEqual(101)
    expect(kept).not.toEqual(expect.arrayContaining(['link']))
    expect(kept).not.toContain('large')
    const output = readFileSync(path.join(run?.folder ?? '', 'verifier/output.txt'), 'utf8')
    expect(output).not.toContain(env.MY_API_KEY)
    expect(output).toContain('[redacted:MY_API_KEY]')
  })

  test('variables of a task that change programs outside of its sandbox are left out', async () => {
    const dockerfile = `FROM debian\nWORKDIR /app\nCOPY notes.txt /app\nENV LD_PRELOAD=/x.so ANTHROPIC_BASE_URL=http://x MINE=1\n`
    const verifier = 'env; echo 1 > /logs/verifier/reward.txt\n'
    const [run] = await bench(makeTask({ dockerfile, verifier }), agent('harbor.mjs'), 0)
    const output = readFileSync(path.join(run?.folder ?? '', 'verifier/output.txt'), 'utf8')
    expect(output).not.toMatch(/LD_PRELOAD|ANTHROPIC_BASE_URL/)
    expect(output).toMatch(/^MINE=1$/m)
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
  ])('%s fails the run as setup', async (_, lines, reason) => {
    const outside = fresh()
    const folder = makeTask({ dockerfile: `FROM debian\nWORKDIR /app\n${lines.replaceAll('OUTSIDE', outside)}` })
    writeFileSync(path.join(folder, 'task.toml'), '[environment]\nbuild_timeout_sec = 1\n')
    const args = [
      'bench',
      folder,
      '--backend',
      'plain',
      '--runs',
      '1',
      '--retries',
      '0',
      '--engine',
      agent('harbor.mjs'),
    ]
    const { code, stderr } = await runMain(args)
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringMatching(reason) })
    expect(stderr).not.toMatch(/^ +at /m)
    expect(readdirSync(outside)).toEqual([])
  })
})
