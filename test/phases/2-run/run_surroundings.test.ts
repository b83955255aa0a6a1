/** What surrounds the agent in a run: programs of evals/bin, variables, teardown, files outside the working folder. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunSpec } from '../../../schemas/plan.ts'
import { programCall } from '../../../schemas/program.ts'
import { chooseSandbox, noSandboxWish, probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { packInputs, unpackInputs } from '../../../src/flows/queue/coordinator/input_bundles.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { performRun } from '../../../src/phases/2-run/run.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { folderOf, skillWith } from '../1-plan/folder.ts'

const searchPath = process.env.PATH ?? ''
const confined = (await probeSandbox(searchPath)).ok
const modes = confined ? (['off', 'required'] as const) : (['off'] as const)

const answers = [
  '- args: "pr list*"\n  stdout_file: data/prs.json',
  '- args: "pr view ?"\n  stdout: "it\'s $HOME `x` 100%"',
  '- args: "auth*"\n  stderr: not logged in\n  exit_code: 4',
].join('\n')

/** The environment of a suite's only case, with `bin` in its evals/bin. */
async function environmentOf(bin: Record<string, string>, executable: readonly string[] = [], env = {}) {
  const files = Object.fromEntries(Object.entries(bin).map(([name, text]) => [`evals/bin/${name}`, text]))
  const root = skillWith({ skill_name: 'sums', evals: [{ id: 1, prompt: 'a', expectations: ['b'], env }] }, files)
  for (const name of executable) chmodSync(path.join(root, 'evals/bin', name), 0o755)
  const environment = (await loadSuite(root)).cases[0]?.environment
  if (environment === undefined) throw new Error('no environment')
  return { environment, root }
}

/** One run of a shell script as the agent. */
async function ran(script: string, changes: Partial<RunSpec> = {}, mode: 'off' | 'required' = 'off', user = {}) {
  const folder = folderOf({ 'agent.sh': script })
  const command = `/bin/sh ${path.join(folder, 'agent.sh')}`
  const run = path.join(folder, 'run')
  const { record } = await performRun({
    spec: specOf({ engine: { name: 'command', model: null, command }, ...changes }),
    engine: findEngine('command'),
    skillFiles: [],
    folder: run,
    userEnv: { PATH: searchPath, ...user },
    passEnv: [],
    hidden: [],
    sandbox: await chooseSandbox({ ...noSandboxWish, mode }, searchPath),
    attempt: 1,
    signal: new AbortController().signal,
  })
  const calls = () =>
    readFileSync(path.join(run, 'programs.jsonl'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => programCall.parse(JSON.parse(line)))
  return { record, run, calls, output: (name: string) => readFileSync(path.join(run, 'outputs', name), 'utf8') }
}

describe.each(modes)('programs of evals/bin, sandbox %s', (mode) => {
  test('answer setup and agent as recorded, and every call is kept with its arguments', async () => {
    const { environment } = await environmentOf({ 'gh.yaml': answers, 'data/prs.json': '[7]\n' })
    const agent = 'gh pr list --json "a b"; gh pr view 7; gh auth status; echo $?; gh repo "x\ny" 2>&1; echo $?'
    const { record, calls } = await ran(agent, { environment, setup: 'gh pr list > start.txt' }, mode)
    expect(record.final_response).toBe(
      "[7]\nit's $HOME `x` 100%\n4\ngh: no recorded answer for these arguments: repo x\ny\n1",
    )
    expect(calls()).toEqual([
      { phase: 'setup', program: 'gh', args: ['pr', 'list'] },
      { phase: 'agent', program: 'gh', args: ['pr', 'list', '--json', 'a b'] },
      { phase: 'agent', program: 'gh', args: ['pr', 'view', '7'] },
      { phase: 'agent', program: 'gh', args: ['auth', 'status'] },
      { phase: 'agent', program: 'gh', args: ['repo', 'x\ny'] },
    ])
  })
  test('executables get their arguments, find their files and are read-only', async () => {
    const script = '#!/bin/sh\ncat "$(dirname "$0")/data/x.txt"\necho "$2"\nexit 5\n'
    const { environment } = await environmentOf({ kubectl: script, 'data/x.txt': 'data\n' }, ['kubectl'])
    const agent = 'kubectl get "a  b"; echo $?; echo hacked > "$(command -v kubectl)" || echo closed'
    const { record } = await ran(agent, { environment }, mode)
    expect(record.final_response).toContain('data\na  b\n5')
    if (mode === 'required') expect(record.final_response).toContain('closed')
  })
  test("a fake git is the agent's, not Whetstone's", async () => {
    const { environment } = await environmentOf({ 'git.yaml': '- args: "*"\n  stdout: fake\n' })
    const { record, calls } = await ran('git status', { environment, git: true }, mode)
    expect([record.status, record.final_response]).toEqual(['completed', 'fake'])
    expect(calls().map(({ phase }) => phase)).toEqual(['agent'])
  })
})

describe('programs of evals/bin', () => {
  test('that changed since the plan fail the run', async () => {
    const { environment, root } = await environmentOf({ 'gh.yaml': answers, 'data/prs.json': '[7]\n' })
    writeFileSync(path.join(root, 'evals/bin/data/prs.json'), '[8]\n')
    const { record } = await ran('true', { environment })
    expect(record).toMatchObject({ status: 'failed', error: { kind: 'setup' } })
    expect(JSON.stringify(record)).toContain('has changed since the plan was written')
  })
  test('that would start in place of the agent fail the run', async () => {
    const { environment } = await environmentOf({ 'agent.yaml': '- args: "*"\n' })
    const engine = { name: 'command', model: null, command: 'agent --now' }
    const { record } = await ran('true', { environment, engine })
    expect(record).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('in place of the agent') },
    })
  })
  test('travel to another machine', async () => {
    const { environment } = await environmentOf({ 'gh.yaml': answers, 'data/prs.json': '[7]\n' })
    const packed = await packInputs(specOf({ environment }))
    const elsewhere = folderOf({})
    for (const file of packed.files) {
      mkdirSync(path.dirname(path.join(elsewhere, file.path)), { recursive: true })
      writeFileSync(path.join(elsewhere, file.path), readFileSync(file.source))
    }
    const spec = await unpackInputs(packed.spec, elsewhere)
    expect(spec.environment?.programs?.folder.source.startsWith(elsewhere)).toBe(true)
    const { record } = await ran('gh pr list', { ...(spec.environment && { environment: spec.environment }) })
    expect(record.final_response).toBe('[7]')
  })
  test('control: a run without them has no record of calls', async () => {
    expect(existsSync(path.join((await ran('true')).run, 'programs.jsonl'))).toBe(false)
  })
})

describe.each(modes)('env and teardown, sandbox %s', (mode) => {
  test('the variables reach setup, agent and teardown; teardown comes after the outputs', async () => {
    const { environment } = await environmentOf({}, [], { MODE: 'fast' })
    const { record, output } = await ran(
      'echo "$MODE" > agent.txt',
      {
        environment,
        setup: 'echo "$MODE" > setup.txt',
        teardown: 'echo "down $MODE"; cat setup.txt; echo late > late.txt; exit 3',
      },
      mode,
    )
    expect([output('agent.txt'), record.outputs.files.map((file) => file.path)]).toEqual(['fast\n', ['agent.txt']])
    expect([record.status, record.warnings]).toEqual([
      'completed',
      [expect.stringMatching(/^teardown failed: .*exit 3: down fast\nfast$/s)],
    ])
  })
  test('teardown runs after a failed setup too; control: one that succeeds says nothing', async () => {
    const { record } = await ran('true', { setup: 'touch there; exit 1', teardown: 'test ! -e there' }, mode)
    expect([record.status, record.warnings.length]).toEqual(['failed', 1])
    expect((await ran('true', { teardown: 'test -d .' }, mode)).record.warnings).toEqual([])
  })
})

describe.each(modes)('files outside the working folder, sandbox %s', (mode) => {
  const tmp = mode === 'off' ? '$TMPDIR' : '/tmp'
  const agent = [
    `mkdir -p ~/.state ~/.cache ~/node_modules/x ${tmp}/out ${tmp}/claude-1 ${tmp}/pip-build-1`,
    'echo report > ~/report.md; echo s > ~/.state/login.json; echo c > ~/.cache/c.txt; echo m > ~/node_modules/x/i.js',
    `echo x > ${tmp}/out/x.csv; echo y > ${tmp}/out/y.txt; echo l > ${tmp}/a.lock; : > ${tmp}/empty.md`,
    `echo t > ${tmp}/tmpab12cd34.txt; echo t > ${tmp}/claude-1/a.md; echo t > ${tmp}/pip-build-1/a.md; echo n > ${tmp}/noext`,
  ].join('\n')

  test('are named with the fix, without caches, state and temporary files', async () => {
    const { record } = await ran(agent, { setup: 'echo old > ~/old.md' }, mode)
    expect(record.outputs.files).toEqual([])
    expect(record.warnings).toEqual([
      'the agent wrote ~/report.md, /tmp/out/x.csv, /tmp/out/y.txt outside its working folder, which is not collected; if it is a result, add "collect": ["~/report.md","/tmp/out/x.csv","/tmp/out/y.txt"] to the case',
    ])
  })
  test('are collected under home/ and tmp/, and no longer named', async () => {
    const collect = ['~/report.md', '/tmp/out/*.csv', '~/none.md']
    const { record, output } = await ran(agent, { collect }, mode)
    expect(record.outputs.files.map(({ path: name, change }) => [name, change])).toEqual([
      ['home/report.md', 'created'],
      ['tmp/out/x.csv', 'created'],
    ])
    expect([output('home/report.md'), output('tmp/out/x.csv')]).toEqual(['report\n', 'x\n'])
    expect(record.warnings).toEqual([expect.stringContaining('wrote /tmp/out/y.txt outside')])
  })
  test('of setup count only if the agent changes them', async () => {
    const setup = 'echo 1 > ~/a.md; echo 1 > ~/b.md'
    const { record } = await ran('echo 2 > ~/b.md', { setup, collect: ['~/*.md'] }, mode)
    expect(record.outputs.files.map((file) => file.path)).toEqual(['home/b.md'])
  })
})

describe('files outside the working folder', () => {
  test('links are never followed, and hidden folders are never collected', async () => {
    const secret = path.join(folderOf({ 'secret.md': 'secret' }), 'secret.md')
    const agent = `ln -s ${secret} ~/link.md; ln -s ${path.dirname(secret)} ~/linked; mkdir ~/.h; echo h > ~/.h/a.md; echo a > ~/a.md`
    const { record } = await ran(agent, { collect: ['~/link.md', '~/**/*.md', '~/linked'] })
    expect(record.outputs.files.map((file) => file.path)).toEqual(['home/a.md'])
  })
  test('of the same path as a file of the working folder are left out', async () => {
    const agent = 'mkdir home; echo work > home/a.md; echo outside > ~/a.md'
    const { record, output } = await ran(agent, { collect: ['~/a.md'] })
    expect(output('home/a.md')).toBe('work\n')
    expect(record.outputs.left_out).toEqual([
      { path: 'home/a.md', reason: 'the working folder has a file of this path' },
    ])
  })
  test('are redacted and limited as all outputs', async () => {
    const user = { ANTHROPIC_API_KEY: 'sk-ant-api03-practice-key-0123456789' }
    const agent = 'echo "$ANTHROPIC_API_KEY" > ~/a.md; dd if=/dev/zero of=$HOME/big.md bs=1048576 count=21 2>/dev/null'
    const { record, output } = await ran(agent, { collect: ['~/*.md'] }, 'off', user)
    expect(output('home/a.md')).not.toContain('sk-ant')
    expect(record.outputs.left_out).toEqual([
      { path: 'home/big.md', reason: expect.stringContaining('larger than 20 MiB') },
    ])
  })
})
