/** The place around a case from the suite to the verdict: network by phase, programs and variables for checks, a setup that always fails; what `check --oracle` starts. */
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { grading as gradingSchema } from '../../../schemas/grading.ts'
import { runRecord } from '../../../schemas/run.ts'
import { runMain } from '../../cli/run_main.ts'
import { needsSandbox } from '../../sandbox/needs_sandbox.ts'
import { fresh, makeSkill } from '../program.ts'

async function serve(): Promise<string> {
  const server = createServer((_, response) => response.end('answered'))
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const at = server.address()
  return `http://127.0.0.1:${typeof at === 'object' ? at?.port : ''}/`
}

/** A suite of one case, benched once; the agent is a shell script. */
async function benched(
  one: object,
  more: { file?: object; files?: Record<string, string>; flags?: readonly string[]; agent?: string } = {},
) {
  const whole = { id: 1, prompt: 'task', ...one }
  const file = { skill_name: 'tidy', ...more.file, evals: [whole] }
  const skill = makeSkill([whole], { 'evals/evals.json': JSON.stringify(file), ...more.files })
  const workspace = path.join(fresh(), 'ws')
  const script = path.join(makeSkill([whole], { 'agent.sh': more.agent ?? 'echo TIDY' }), 'agent.sh')
  const flags = ['--engine', `command:/bin/sh ${script}`, '--workspace', workspace, '--no-cache', ...(more.flags ?? [])]
  const end = await runMain(['bench', skill, ...(flags.includes('--runs') ? [] : ['--runs', '1']), ...flags])
  const run = (name: string) => {
    const [benchmark = ''] = readdirSync(path.join(workspace, 'benchmarks'))
    const folder = path.join(workspace, 'benchmarks', benchmark)
    const slug = readdirSync(folder).find((entry) => entry.startsWith('eval-')) ?? ''
    return JSON.parse(readFileSync(path.join(folder, slug, 'with_skill/run-1', name), 'utf8'))
  }
  return {
    end,
    record: () => runRecord.parse(run('run.json')),
    grading: () => gradingSchema.parse(run('grading.json')),
  }
}

const contains = [{ type: 'contains', value: 'TIDY' }]

needsSandbox('the network by phase', () => {
  const open = { sandbox: { network: { setup: 'open', agent: 'none', checks: 'none' } } }
  const call = (url: string) =>
    `node -e "fetch('${url}').then((r) => r.text()).then(console.log, () => process.exit(9))"`

  test('is refused before any run, and the hint names the flag', async () => {
    const { end } = await benched({ checks: contains, setup: 'true' }, { file: open })
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/sandbox\.network asks for an open network for setup.*\nhint: add --network setup/)
  })
  test('--network setup opens it for setup alone, also where a check prepares the folder again', async () => {
    const url = await serve()
    const checks = [...contains, { type: 'command', run: `grep answered got.txt && ! ${call(url)}` }]
    const { record, grading, end } = await benched(
      { checks, setup: `${call(url)} > got.txt` },
      { file: open, flags: ['--network', 'setup'], agent: `${call(url)} || echo TIDY` },
    )
    expect(end.stdout + end.stderr).toContain('network open for setup, as asked')
    expect(record()).toMatchObject({ status: 'completed', final_response: 'TIDY', sandbox: { network: 'none' } })
    expect(grading().expectations.map(({ passed }) => passed)).toEqual([true, true])
  })
  test('control: --network open opens it for all', async () => {
    const url = await serve()
    const flags = ['--network', 'open']
    const { record } = await benched({ checks: contains, setup: call(url) }, { file: open, flags, agent: call(url) })
    expect(record()).toMatchObject({ final_response: 'answered', sandbox: { network: 'open' } })
  })
  test('a setup that fails without a network names it and the flag, and is not tried for every run', async () => {
    const setup = 'curl -fsS -m 3 http://registry.example/x'
    const { end } = await benched({ checks: contains, setup }, { flags: ['--runs', '6', '--concurrency', '1'] })
    expect(end.stderr + end.stdout).toContain('the sandbox has no network; --network setup opens it for setup alone')
    const lines = `${end.stdout}${end.stderr}`.split('\n').filter((line) => /^\[\d+\/12\]/.test(line))
    expect(lines.filter((line) => line.includes('failed: sh -c curl'))).toHaveLength(2)
    expect(lines.filter((line) => line.includes('not started, because setup failed in 2 runs'))).toHaveLength(10)
  })
})

describe('a setup that works in some runs', () => {
  test('is tried in all of them', async () => {
    const marks = fresh()
    const setup = `n=$(ls ${marks} | wc -l); touch ${marks}/$n; test $n -eq 0`
    const flags = ['--sandbox', 'off', '--trust-suite', '--runs', '3', '--concurrency', '1']
    const { end } = await benched({ checks: contains, setup }, { flags })
    expect([end.code, readdirSync(marks).length]).toEqual([expect.any(Number), 6])
    expect(end.stdout + end.stderr).not.toContain('not started')
  })
})

needsSandbox('checks of a case', () => {
  test('get its variables and programs, and count the calls of the agent alone', async () => {
    const checks = [
      { type: 'command', run: 'test "$MODE" = fast && gh pr list | grep seven && git status' },
      { type: 'program_called', program: 'gh', times: { equals: 1 } },
    ]
    const files = { 'evals/bin/gh.yaml': '- args: "pr *"\n  stdout: seven\n' }
    const file = { env: { MODE: 'fast' }, setup: 'gh pr list > start.txt' }
    const { grading } = await benched({ checks, git: true }, { file, files, agent: 'gh pr list' })
    expect(grading().expectations.map(({ passed, evidence }) => [passed, evidence])).toEqual([
      [true, expect.stringContaining('seven')],
      [true, '1 such call; gh pr list'],
    ])
  })
})

describe('without a sandbox', () => {
  test('executables and teardown are commands that need a yes', async () => {
    const files = { 'evals/bin/gh': '#!/bin/sh\n' }
    const one = { id: 1, prompt: 'task', checks: contains, teardown: 'rm -rf cluster' }
    const skill = makeSkill([one], files)
    chmodSync(path.join(skill, 'evals/bin/gh'), 0o755)
    const end = await runMain(['bench', skill, '--engine', 'command:true', '--runs', '1', '--sandbox=off'])
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/program +1 .*evals\/bin\/gh/)
    expect(end.stderr).toMatch(/teardown +1 .*rm -rf cluster/)
  })
})

/** Which rules were broken, and what the suite's commands did, when each does what it should not. */
async function checked(mode: string) {
  const outside = fresh()
  const [secret, bySetup, byCheck] = ['secret', 'by-setup', 'by-check'].map((name) => path.join(outside, name))
  writeFileSync(secret ?? '', 'SECRET')
  const skill = makeSkill([
    {
      id: 1,
      prompt: 'task',
      reference: { answer: 'done', files: { 'a.md': 'a' } },
      setup: `touch ${bySetup}; true`,
      checks: [
        { type: 'command', run: 'test "$(cat a.md)" = a' },
        {
          type: 'command',
          run: `touch ${byCheck}; ! cat ${secret} && ! cat "$(dirname ${outside})"/*/*/evals/evals.json`,
        },
      ],
    },
  ])
  const { code, stdout, stderr } = await runMain(['check', skill, '--oracle', '--json', '--sandbox', mode])
  const rules = JSON.parse(stdout).skills[0].problems.map(({ rule }: { rule: string }) => rule)
  const made = [bySetup, byCheck].filter((file) => existsSync(file ?? ''))
  return { code, stderr, fails: rules.filter((rule: string) => rule === 'oracle-fails').length, made: made.length }
}

needsSandbox('what a suite brings, when `check --oracle` grades its references', () => {
  test('reads and writes nothing outside', async () => {
    expect(await checked('required')).toMatchObject({ code: 0, fails: 0, made: 0 })
  })
  test('negative control: without the sandbox it does', async () => {
    expect(await checked('off')).toMatchObject({ code: 1, fails: 1, made: 2 })
  })
})

test('a sandbox that is required and not there is a mistake', async () => {
  const skill = makeSkill([
    { id: 1, prompt: 'task', reference: { answer: 'x' }, checks: [{ type: 'contains', value: 'x' }] },
  ])
  const end = await runMain(['check', skill, '--oracle', '--sandbox', 'required'], { env: { PATH: '/nowhere' } })
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('--sandbox required') })
})
