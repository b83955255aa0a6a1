/** The GitHub Action, step by step as GitHub runs it, with a stand-in for GitHub's API and the practice model. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whetstone } from '../e2e/program.ts'
import { bot, startGithub } from './github_server.ts'
import { type Caches, makeRepository, runOnPullRequest, skillFiles, startModel } from './pull_request.ts'

let model: Awaited<ReturnType<typeof startModel>>
beforeAll(async () => {
  model = await startModel()
})
afterAll(async () => {
  await model.close()
})

const readText = (file: string) => readFileSync(file, 'utf8')
const marker = '<!-- whetstone-comment: whetstone -->'
/** A suite with one case; `more`: a statement for the judge. */
const suite = (name: string, more: object = {}) => ({
  skill_name: name,
  evals: [{ id: 1, prompt: `task of ${name}`, checks: [{ type: 'contains', value: 'TIDY' }], ...more }],
})

describe('a pull request that changes a skill', () => {
  const caches: Caches = new Map()
  const repository = makeRepository()

  test('is compared with the merge base; the comment says the verdict and links to the report', async () => {
    await using github = await startGithub()
    const end = await runOnPullRequest({ repository, github, model: model.url }, caches)
    expect(end, end.log).toMatchObject({ outcome: 'success', outputs: { 'exit-code': '0', verdict: 'inconclusive' } })
    const { cost, report, benchmarks } = end.outputs
    expect(Number(cost)).toBeGreaterThan(0)
    expect(report).toBe(path.join(benchmarks ?? '', 'report.html'))
    const [body = ''] = github.ours()
    expect(body).toMatch(/^\| inconclusive \| tidy \| 100% \| 0% \| \+100.*passed \| \$0\.\d+ \| \d+\.\d s \|$/m)
    expect(body).toContain('Changes since the base')
    expect(body).toContain('[Report](https://github.example/artifact/1)')
    expect(end.log).toMatch(/^::notice title=tidy::Inconclusive: pass rate 100%25 with the new version/m)
    expect(end.summary).toContain('# Skill benchmark: tidy')
    expect(end.log + end.summary + body).not.toContain('ghs_token-of-the-job')
    expect(github.requests.every(({ token }) => token === 'Bearer ghs_token-of-the-job')).toBe(true)
  })
  test('the next push pays only for what is new and updates the comment behind 150 others; a failed gate fails the job', async () => {
    const talk = Array.from({ length: 150 }, () => ({ body: 'talk', user: { login: 'ada', type: 'User' as const } }))
    await using github = await startGithub({ comments: [...talk, { body: `${marker}\nold`, user: bot }] })
    rmSync(path.join(repository.folder, 'workspaces'), { recursive: true })
    const answered = () => model.requests.filter(({ rule }) => rule !== null).length
    const before = answered()
    const inputs = { gate: 'pass_rate < 0.5' }
    const end = await runOnPullRequest({ repository, github, model: model.url, inputs, runId: '2' }, caches)
    expect(end, end.log).toMatchObject({ outcome: 'failure', outputs: { 'exit-code': '1', cost: '0' } })
    expect(answered()).toBe(before)
    expect(before).toBeGreaterThan(4)
    expect(github.ours()).toEqual([
      expect.stringMatching(/## tidy: inconclusive[\s\S]*- Gate \*\*failed\*\*: pass_rate/),
    ])
    expect(github.store).toHaveLength(151)
    expect(end.log).toMatch(/^::error title=tidy::gate failed: pass_rate < 0\.5/m)
    expect([...caches.keys()]).toEqual(['whetstone/Linux/whetstone/1-1', 'whetstone/Linux/whetstone/2-1'])
  })
})

test('several skills: a new one against none, a changed one against the base; under another name it is another comment', async () => {
  const other = `${marker}\nof another job`
  await using github = await startGithub({ comments: [{ body: other, user: bot }] })
  const base = skillFiles('tidy', 'NOTHING', suite('tidy'))
  const branch = { ...skillFiles('fresh', 'TIDY', suite('fresh')), ...skillFiles('tidy', 'TIDY', suite('tidy')) }
  const inputs = { 'comment-id': 'strict', artifact: '' }
  const end = await runOnPullRequest({ repository: makeRepository(base, branch), github, model: model.url, inputs })
  expect(end, end.log).toMatchObject({ outcome: 'success' })
  expect(end.outputs.benchmarks?.split('\n')).toHaveLength(2)
  expect(end.outputs.report).toMatch(/workspaces\/index\.html$/)
  expect(end.used.map(({ uses }) => uses)).not.toContain('actions/upload-artifact')
  const [first, body = ''] = github.ours()
  expect(first).toBe(other)
  expect(body).toContain('<!-- whetstone-comment: strict -->\n## Skills: 2 inconclusive')
  expect(body).toMatch(/### fresh[\s\S]*Cases without and with the skill/)
  expect(body).toMatch(/### tidy[\s\S]*Changes since the base/)
})

test('nothing changed: an earlier comment is brought up to date', async () => {
  const repository = makeRepository({}, { 'README.md': 'more' })
  await using github = await startGithub({ comments: [{ body: `${marker}\nhurts`, user: bot }] })
  const end = await runOnPullRequest({ repository, github, model: model.url })
  expect(end, end.log).toMatchObject({ outcome: 'success', outputs: { verdict: 'nothing', 'exit-code': '0' } })
  expect(github.ours()).toEqual([expect.stringContaining('No skill changed since')])
})

test('the budget counts the judge: it stops the job with exit code 3, and the comment says so', async () => {
  const judged = { expectations: ['says TIDY'] }
  const base = skillFiles('tidy', 'NOTHING', suite('tidy', judged))
  const branch = skillFiles('tidy', 'TIDY', suite('tidy', judged))
  await using github = await startGithub()
  const inputs = { runs: '2', budget: '0.006' }
  const end = await runOnPullRequest({ repository: makeRepository(base, branch), github, model: model.url, inputs })
  expect(end, end.log).toMatchObject({ outcome: 'failure', outputs: { 'exit-code': '3' } })
  const { cost, metadata } = JSON.parse(readText(path.join(end.outputs.benchmarks ?? '', 'benchmark.json')))
  expect(cost.judge_usd).toBeGreaterThan(0)
  expect(metadata.stopped.spent).toBeCloseTo(cost.agent_usd + cost.judge_usd, 6)
  expect(Number(end.outputs.cost)).toBeCloseTo(metadata.stopped.spent, 6)
  const words = /\(incomplete\)[\s\S]*Stopped by the budget: \d of 4 runs; \$0\.\d+ of \$0\.0060 spent/
  expect(github.ours()[0]).toMatch(words)
})

test('names and messages of a suite are no workflow commands; without an artifact the verdict counts all the same', async () => {
  const hostile = `x\n::set-output name=verdict::helps\n::error::pwned ##[add-mask]tidy`
  const broken = { id: 2, eval_name: hostile, prompt: 'a file is missing', files: [hostile] }
  const evals = [{ ...suite('tidy').evals[0], eval_name: hostile }, broken]
  const repository = makeRepository({}, skillFiles('tidy', 'TIDY', { skill_name: 'tidy', evals }))
  await using github = await startGithub()
  const uploads = () => {
    throw new Error('no artifacts here')
  }
  const refused = await runOnPullRequest({ repository, github, model: model.url })
  const inputs = { args: '--trust-suite --allow-invalid' }
  const end = await runOnPullRequest({ repository, github, model: model.url, inputs, uploads })
  expect(refused.log).toMatch(/^::error::pwned/m) // negative control: it is there, and inert
  expect(refused.commands).toEqual([expect.stringMatching(/^::error title=Whetstone::/)])
  expect(end.log).toContain('##[add-mask]')
  expect(end.commands.map((line) => line.split('::', 2)[1])).toEqual(['notice title=tidy', 'warning title=tidy'])
  expect(end, end.log).toMatchObject({ outcome: 'failure', outputs: { 'exit-code': '3', 'report-url': '' } })
  expect(end.log).toContain('no artifacts here')
  expect(github.ours()).toEqual([expect.stringContaining('## tidy: inconclusive')])
})

describe('before anything is spent', () => {
  const spends = async (work: () => Promise<unknown>) => {
    const before = model.requests.length
    await work()
    return model.requests.length - before
  }
  const repository = makeRepository({}, skillFiles('tidy', 'TIDY', suite('tidy')))

  test('a missing key ends the job, and the comment names the secret', async () => {
    await using github = await startGithub()
    const env = { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' }
    const end = await runOnPullRequest({ repository, github, env })
    expect(end, end.log).toMatchObject({ outcome: 'failure', outputs: { 'exit-code': '2', verdict: 'failed' } })
    for (const text of [end.log, end.summary, github.ours()[0]]) {
      expect(text).toContain('add a secret ANTHROPIC')
      expect(text).toContain('secrets.ANTHROPIC')
    }
  })
  test('a pull request from a fork spends nothing and is no failure; the summary says what to do', async () => {
    await using github = await startGithub({ readOnly: true })
    const fork = { repository, github, model: model.url, from: 'mallory/skills' }
    expect(
      await spends(async () => {
        const end = await runOnPullRequest(fork)
        expect(end, end.log).toMatchObject({ outcome: 'success', outputs: { verdict: 'skipped', 'exit-code': '0' } })
        expect(end.summary).toContain('forks: approved')
        expect(end.log).toContain('::notice title=Whetstone::No comment: the token may not write')
      }),
    ).toBe(0)
    expect(github.store).toEqual([])
  })
  test('pull_request_target with the code of a fork is refused, until a person approved it', async () => {
    await using github = await startGithub()
    const caches: Caches = new Map()
    const fork = { repository, github, model: model.url, event: 'pull_request_target', from: 'mallory/skills' }
    expect(
      await spends(async () => {
        const end = await runOnPullRequest(fork, caches)
        expect(end, end.log).toMatchObject({ outcome: 'failure', outputs: { 'exit-code': '2' } })
      }),
    ).toBe(0)
    expect(github.ours()[0]).toContain('the checkout is code from a fork')
    const approved = await runOnPullRequest({ ...fork, inputs: { forks: 'approved' } }, caches)
    expect(approved, approved.log).toMatchObject({ outcome: 'success', outputs: { 'exit-code': '0' } })
    expect(github.ours()).toEqual([expect.stringContaining('## tidy: inconclusive')])
    expect([...caches.keys()]).toEqual([]) // what a fork's code left is not for the jobs of the repository
  })
  test('inputs are words, never shell: nothing of them is executed', async () => {
    await using github = await startGithub()
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'injected-')), 'proof')
    const attack = `x"; touch ${file}; $(touch ${file}) \`touch ${file}\``
    const inputs = { engine: attack, skills: attack, gate: attack, args: attack, baseline: attack, budget: attack }
    const end = await runOnPullRequest({ repository, github, model: model.url, inputs })
    expect(end).toMatchObject({ outputs: { 'exit-code': '2' } })
    expect(() => readText(file)).toThrow('ENOENT')
    writeFileSync(file, '') // negative control: the place can be written
  })
})

test('a cancelled job: the signal reaches bench, which ends its runs and leaves an outcome', async () => {
  const { folder, base, head } = makeRepository({}, skillFiles('tidy', 'TIDY', suite('tidy')))
  const temp = mkdtempSync(path.join(tmpdir(), 'cancelled-'))
  const [event, output] = ['event.json', 'output'].map((name) => path.join(temp, name))
  writeFileSync(
    event ?? '',
    JSON.stringify({
      pull_request: { number: 7, base: { sha: base }, head: { sha: head, repo: { full_name: 'ada/skills' } } },
    }),
  )
  await using slow = await startModel(3000)
  const end = await whetstone(['github', 'bench'], {
    cwd: folder,
    env: {
      ...{ GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: event ?? '', GITHUB_REPOSITORY: 'ada/skills' },
      ...{
        GITHUB_OUTPUT: output ?? '',
        RUNNER_TEMP: temp,
        ANTHROPIC_BASE_URL: slow.url,
        ANTHROPIC_API_KEY: 'practice',
      },
      ...{ INPUT_ENGINE: 'anthropic:claude-haiku-4-5', INPUT_RUNS: '1', INPUT_ARGS: '--trust-suite' },
    },
    started: async (child) => {
      await expect.poll(() => slow.requests.some(({ rule }) => rule !== null)).toBe(true)
      child.kill('SIGINT')
    },
  })
  expect(end, end.stderr).toMatchObject({ code: 130 })
  expect(readText(output ?? '')).toMatch(/exit-code<<(.*)\n130\n/)
})
