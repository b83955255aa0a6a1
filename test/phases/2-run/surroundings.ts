/** What surrounds the agent in a run, in a sandbox or in none: programs of evals/bin, variables, teardown, files outside the working folder. */
import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunSpec } from '../../../schemas/plan.ts'
import { programCall } from '../../../schemas/program.ts'
import { chooseSandbox, noSandboxWish } from '../../../src/base/sandbox/choose.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { performRun } from '../../../src/phases/2-run/run.ts'
import type { RunRequest } from '../../../src/phases/2-run/run_request.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { folderOf, skillWith } from '../1-plan/folder.ts'

const searchPath = process.env.PATH ?? ''

export const answers = [
  '- args: "pr list*"\n  stdout_file: data/prs.json',
  '- args: "pr view ?"\n  stdout: "it\'s $HOME `x` 100%"',
  '- args: "auth*"\n  stderr: not logged in\n  exit_code: 4',
].join('\n')

/** The environment of a suite's only case, with `bin` in its evals/bin. */
export async function environmentOf(bin: Record<string, string>, executable: readonly string[] = [], env = {}) {
  const files = Object.fromEntries(Object.entries(bin).map(([name, text]) => [`evals/bin/${name}`, text]))
  const root = skillWith({ skill_name: 'sums', evals: [{ id: 1, prompt: 'a', expectations: ['b'], env }] }, files)
  for (const name of executable) chmodSync(path.join(root, 'evals/bin', name), 0o755)
  const environment = (await loadSuite(root)).cases[0]?.environment
  if (environment === undefined) throw new Error('no environment')
  return { environment, root }
}

/** A run into this folder, of the engine that it names, without a sandbox. */
export async function performIn(folder: string, spec: RunSpec, more: Partial<RunRequest> = {}, user = {}) {
  const { record } = await performRun({
    ...{ spec, engine: findEngine(spec.engine.name), skillFiles: [], folder, passEnv: [], hidden: [], attempt: 1 },
    userEnv: { PATH: searchPath, ...user },
    sandbox: { mechanism: 'none', program: null, reason: 'a test', network: null, readable: [] },
    signal: new AbortController().signal,
    ...more,
  })
  return record
}

/** One run of a shell script as the agent. */
export async function ran(script: string, changes: Partial<RunSpec> = {}, mode: 'off' | 'required' = 'off', user = {}) {
  const folder = folderOf({ 'agent.sh': script })
  const command = `/bin/sh ${path.join(folder, 'agent.sh')}`
  const run = path.join(folder, 'run')
  const spec = specOf({ engine: { name: 'command', model: null, command }, ...changes })
  const sandbox = await chooseSandbox({ ...noSandboxWish, mode }, searchPath)
  const record = await performIn(run, spec, { sandbox }, user)
  const calls = () =>
    readFileSync(path.join(run, 'programs.jsonl'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => programCall.parse(JSON.parse(line)))
  return { record, run, calls, output: (name: string) => readFileSync(path.join(run, 'outputs', name), 'utf8') }
}

export function testSurroundings(mode: 'off' | 'required') {
  describe('programs of evals/bin', () => {
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
    test.each([
      ['a pipe', 'mkfifo "$log"'],
      ['a link to a file of this machine', 'ln -s /etc/hostname "$log"'],
    ])('the record of calls that the agent replaces by %s is left out, and nothing waits', async (_what, replace) => {
      const { environment } = await environmentOf({ 'gh.yaml': answers, 'data/prs.json': '[7]\n' })
      const agent = `gh pr list; log="$(ls -d "$(dirname "$(command -v gh)")/../../calls/log")"; rm -f "$log"; ${replace}; echo "$log"`
      const { record, calls } = await ran(agent, { environment }, mode)
      expect(record).toMatchObject({ status: 'completed', final_response: expect.stringContaining('/calls/log') })
      expect(calls()).toEqual([])
    })
    test('the paths of its folders tell nothing of the run in a sandbox', async () => {
      const { record } = await ran('pwd; echo "$HOME"; echo "$TMPDIR"; ls -A /tmp', {}, mode)
      const [cwd = '', home, tmp] = record.final_response.split('\n')
      expect(record.status).toBe('completed')
      if (mode === 'required') expect([path.dirname(cwd), home, tmp]).toEqual([home, home, '/tmp'])
      expect(/user-\d/.test(record.final_response)).toBe(mode === 'off')
    })
    test("a fake git is the agent's, not Whetstone's", async () => {
      const { environment } = await environmentOf({ 'git.yaml': '- args: "*"\n  stdout: fake\n' })
      const { record, calls } = await ran('git status', { environment, git: true }, mode)
      expect([record.status, record.final_response]).toEqual(['completed', 'fake'])
      expect(calls().map(({ phase }) => phase)).toEqual(['agent'])
    })
  })

  describe('env and teardown', () => {
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

  describe('files outside the working folder', () => {
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
}
