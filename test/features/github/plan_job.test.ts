/** Which events may spend, and what bench starts with. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { planJob, readActionInputs } from '../../../src/features/github/bench_action.ts'
import { readTrigger } from '../../../src/features/github/read_trigger.ts'

let folder = ''
let commits: { base: string; ahead: string; head: string }
const author = ['-c', 'user.name=Ada', '-c', 'user.email=a@skills.example']
const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...author, ...args], { encoding: 'utf8' }).trim()

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plan-'))
  const commit = (message: string) => {
    git('commit', '-qm', message, '--allow-empty')
    return git('rev-parse', 'HEAD')
  }
  git('init', '-q', '-b', 'main')
  const base = commit('base')
  const ahead = commit('main is ahead')
  git('checkout', '-q', '-b', 'change', base)
  commits = { base, ahead, head: commit('change') }
})

const repo = (name: string) => ({ full_name: name })

async function plan(event: string, body: object, inputs: Record<string, string> = {}, cwd = folder) {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'event-')), 'event.json')
  writeFileSync(file, JSON.stringify(body))
  const env = { GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: file, GITHUB_REPOSITORY: 'ada/skills' }
  const named = Object.entries(inputs).map(([name, value]) => [`INPUT_${name}`, value])
  return await planJob(await readTrigger(env), readActionInputs(Object.fromEntries(named)), cwd)
}

const pull = (from: string | null, base = commits.ahead) => ({
  pull_request: {
    number: 7,
    base: { sha: base, repo: repo('ada/skills') },
    head: { sha: commits.head, repo: from === null ? null : repo(from) },
  },
})

describe('the arguments of bench', () => {
  const at = '--trust-config-at=BASE'
  test.each([
    ['the skills that changed since the merge base', {}, ['.', '--changed=BASE', '--baseline=git:BASE', at]],
    ['named skills, if they changed', { SKILLS: 'a "b c"' }, ['a', 'b c', '--changed=BASE', '--baseline=git:BASE', at]],
    ['named skills with none: all of them', { SKILLS: 'a', BASELINE: 'none' }, ['a', at]],
    ['what the job itself trusts', { SKILLS: 'a', BASELINE: 'none', ARGS: '--trust-config' }, ['a', '--trust-config']],
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
        at,
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
  test('a push compares with the commit before it; a new branch and a forced push with the default branch', async () => {
    git('update-ref', 'refs/remotes/origin/main', commits.ahead)
    const changed = ['.', `--changed=${commits.base}`, `--baseline=git:${commits.base}`]
    const expected = { status: 'start', args: [...changed, '--trust-config'] }
    const lost = { before: 'f'.repeat(40), repository: { default_branch: 'main' } }
    expect(await plan('push', { before: commits.base })).toEqual(expected)
    expect(await plan('push', { ...lost, created: true })).toEqual(expected)
    expect(await plan('push', { ...lost, forced: true })).toEqual(expected)
    expect(await plan('merge_group', { merge_group: { base_sha: commits.base } })).toEqual({
      status: 'start',
      args: [...changed, at.replace('BASE', commits.base)],
    })
  })
  test('an event without a base starts every skill below; the name of a folder is no flag', async () => {
    const place = mkdtempSync(path.join(tmpdir(), 'skills-'))
    for (const name of ['--budget=99', '.claude/skills/é'].map((one) => path.join(place, one))) {
      mkdirSync(name, { recursive: true })
      writeFileSync(path.join(name, 'SKILL.md'), '')
    }
    const all = { status: 'start', args: ['./--budget=99', '.claude/skills/é', '--trust-config'] }
    expect(await plan('schedule', {}, {}, place)).toEqual(all)
    expect(await plan('workflow_dispatch', {}, { SKILLS: '.', BASELINE: 'none' }, place)).toEqual(all)
  })
  test('the merge that GitHub checks out: what others merged into the base is not of this pull request', async () => {
    git('checkout', '-q', '--detach', commits.ahead)
    git('merge', '-q', '--no-ff', '-m', 'merge', commits.head)
    const end = await plan('pull_request', pull('ada/skills', commits.base))
    git('checkout', '-q', 'change')
    expect(end).toMatchObject({
      args: [
        '.',
        `--changed=${commits.ahead}`,
        `--baseline=git:${commits.ahead}`,
        `--trust-config-at=${commits.ahead}`,
      ],
    })
  })
  test('a checkout without the base is refused; a shallow one, as actions/checkout leaves it, with what to set', async () => {
    const lost = pull('ada/skills', 'f'.repeat(40))
    await expect(plan('pull_request', lost)).rejects.toMatchObject({ fix: expect.stringContaining('baseline: none') })
    const shallow = mkdtempSync(path.join(tmpdir(), 'shallow-'))
    execFileSync('git', ['clone', '-q', '--depth', '1', `file://${folder}`, shallow])
    const fix = 'give actions/checkout "fetch-depth: 0"'
    await expect(plan('pull_request', pull('ada/skills'), {}, shallow)).rejects.toMatchObject({ fix })
    const named = { SKILLS: 'a', BASELINE: 'none' } // needs no base
    expect(await plan('pull_request', pull('ada/skills'), named, shallow)).toEqual({ status: 'start', args: ['a'] })
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
  test('an unknown rule is a mistake, not an approval', async () => {
    await expect(plan('pull_request', pull('mallory/skills'), { FORKS: 'yes' })).rejects.toThrow(
      'forks: "yes" is not a value',
    )
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
})
