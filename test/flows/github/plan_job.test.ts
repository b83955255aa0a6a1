/** Which events may spend, and what bench starts with. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readActionInputs } from '../../../src/flows/github/action_inputs.ts'
import { planJob } from '../../../src/flows/github/plan_job.ts'
import { readTrigger } from '../../../src/flows/github/read_trigger.ts'

let folder = ''
let commits: { base: string; ahead: string; head: string }

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plan-'))
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()
  const commit = (message: string) => {
    git('-c', 'user.name=Ada', '-c', 'user.email=a@skills.example', 'commit', '-qm', message, '--allow-empty')
    return git('rev-parse', 'HEAD')
  }
  git('init', '-q', '-b', 'main')
  const base = commit('base')
  const ahead = commit('main is ahead')
  git('checkout', '-q', '-b', 'change', base)
  commits = { base, ahead, head: commit('change') }
})

const repo = (name: string) => ({ full_name: name })

async function plan(event: string, body: object, inputs: Record<string, string> = {}) {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'event-')), 'event.json')
  writeFileSync(file, JSON.stringify(body))
  const env = { GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: file, GITHUB_REPOSITORY: 'ada/skills' }
  const named = Object.entries(inputs).map(([name, value]) => [`INPUT_${name}`, value])
  return await planJob(await readTrigger(env), readActionInputs(Object.fromEntries(named)), folder)
}

const pull = (from: string | null, base = commits.ahead) => ({
  pull_request: {
    number: 7,
    base: { sha: base, repo: repo('ada/skills') },
    head: { sha: commits.head, repo: from === null ? null : repo(from) },
  },
})

describe('the arguments of bench', () => {
  test.each([
    ['the skills that changed since the merge base', {}, ['.', '--changed=BASE', '--baseline=git:BASE']],
    ['named skills, if they changed', { SKILLS: 'a "b c"' }, ['a', 'b c', '--changed=BASE', '--baseline=git:BASE']],
    ['named skills with none: all of them', { SKILLS: 'a', BASELINE: 'none' }, ['a']],
    ['another baseline', { BASELINE: 'git:v1' }, ['.', '--changed=BASE', '--baseline=git:v1']],
    [
      'flags, each as one word',
      {
        BASELINE: 'none',
        ENGINE: 'anthropic:haiku',
        BUDGET: '2',
        FAIL_ON: 'hurts',
        GATE: 'ci_low > 0\n\ncost <= 5',
        ARGS: "--deadline 25m --case 'a b'",
      },
      [
        '.',
        '--changed=BASE',
        '--engine=anthropic:haiku',
        '--budget=2',
        '--fail-on=hurts',
        '--gate=ci_low > 0',
        '--gate=cost <= 5',
        '--deadline',
        '25m',
        '--case',
        'a b',
      ],
    ],
  ])('%s', async (_, inputs, args) => {
    const expected = args.map((one) => one.replace('BASE', commits.base))
    expect(await plan('pull_request', pull('ada/skills'), inputs)).toEqual({ status: 'start', args: expected })
  })
  test('a push compares with the commit before it; a schedule and a new branch with none', async () => {
    const since = [`--changed=${commits.base}`, `--baseline=git:${commits.base}`]
    expect(await plan('push', { before: commits.base })).toEqual({ status: 'start', args: ['.', ...since] })
    expect(await plan('push', { before: '0'.repeat(40) })).toEqual({ status: 'start', args: ['.'] })
    expect(await plan('schedule', {})).toEqual({ status: 'start', args: ['.'] })
    expect(await plan('merge_group', { merge_group: { base_sha: commits.base } })).toMatchObject({
      args: ['.', ...since],
    })
  })
  test('a base that the clone lacks stays as it is: bench says what to fetch', async () => {
    const lost = 'f'.repeat(40)
    expect(await plan('pull_request', pull('ada/skills', lost))).toMatchObject({
      args: ['.', `--changed=${lost}`, `--baseline=git:${lost}`],
    })
  })
})

describe('code from a fork', () => {
  const run = (from: string) => ({ workflow_run: { head_sha: commits.head, head_repository: repo(from) } })
  const comment = { issue: { number: 7, pull_request: {} } }

  test('pull_request: skipped, or a failure if wanted', async () => {
    const skipped = { status: 'skipped', isFailure: false, fix: expect.stringContaining('forks: approved') }
    expect(await plan('pull_request', pull('mallory/skills'))).toMatchObject(skipped)
    expect(await plan('pull_request', pull(null))).toMatchObject(skipped)
    expect(await plan('pull_request', pull('mallory/skills'), { FORKS: 'fail' })).toMatchObject({ isFailure: true })
  })
  test('events with secrets: refused if the checkout is the code of the fork', async () => {
    await expect(plan('pull_request_target', pull('mallory/skills'))).rejects.toThrow('gives it the secrets')
    await expect(plan('workflow_run', run('mallory/skills'))).rejects.toThrow('gives it the secrets')
    expect(await plan('issue_comment', comment)).toMatchObject({ status: 'skipped' })
  })
  test('pull_request_target on the base: skipped', async () => {
    const elsewhere = pull('mallory/skills')
    elsewhere.pull_request.head.sha = commits.ahead
    expect(await plan('pull_request_target', elsewhere)).toMatchObject({ status: 'skipped' })
  })
  test('negative control: the repository itself, and what a person approved, starts', async () => {
    for (const [event, body, inputs] of [
      ['pull_request_target', pull('ada/skills'), {}],
      ['workflow_run', run('ada/skills'), {}],
      ['pull_request_target', pull('mallory/skills'), { FORKS: 'approved' }],
      ['issue_comment', comment, { FORKS: 'approved' }],
    ] as const)
      expect(await plan(event, body, inputs)).toMatchObject({ status: 'start' })
  })
  test('an unknown rule is a mistake, not an approval', async () => {
    await expect(plan('pull_request', pull('mallory/skills'), { FORKS: 'yes' })).rejects.toThrow(
      'forks: "yes" is not a value',
    )
  })
})
