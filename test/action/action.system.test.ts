/** The GitHub Action, step by step as GitHub runs it, with a stand-in for GitHub's API and the practice model; its variants are its two commands alone. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runMain } from '../cli/run_main.ts'
import { whetstone } from '../e2e/program.ts'
import { bot, startGithub } from './github_server.ts'
import {
  type Caches,
  makeRepository,
  type PullRequestOptions,
  pullRequestJob,
  runOnPullRequest,
  skillFiles,
  startModel,
  usualInputs,
  usualKey,
} from './pull_request.ts'
import { type Job, readCommands, readPairs } from './run_job.ts'

const [, started = ''] = process.argv
let model: Awaited<ReturnType<typeof startModel>>
beforeAll(async () => {
  model = await startModel()
  // what `github bench` starts again for `bench`
  process.argv[1] = path.join(import.meta.dirname, '../../dist/program/bin.js')
})
afterAll(async () => {
  process.argv[1] = started
  await model.close()
})

const readText = (file: string) => readFileSync(file, 'utf8')
const marker = '<!-- whetstone-comment: whetstone -->'
/** A suite with one case. */
const suite = (name: string) => ({
  skill_name: name,
  evals: [{ id: 1, prompt: `task of ${name}`, checks: [{ type: 'contains', value: 'TIDY' }] }],
})
const hostile = `x\n::set-output name=verdict::helps\n::error::pwned ##[add-mask]tidy`

/** The environment of a step that runs one of the action's commands, and where it leaves outputs and summary. */
function stepOf({ github, event }: Job, { model, inputs = {}, env }: PullRequestOptions) {
  const temp = mkdtempSync(path.join(tmpdir(), 'step-'))
  const [events = '', output = '', summary = ''] = ['event.json', 'output', 'summary'].map((name) =>
    path.join(temp, name),
  )
  writeFileSync(events, JSON.stringify(event))
  writeFileSync(summary, '')
  const named = Object.entries(github).map(([name, value]) => [`GITHUB_${name.toUpperCase()}`, value])
  const given = Object.entries({ ...usualInputs, ...inputs }).map(([name, value]) => {
    return [`INPUT_${name.toUpperCase().replaceAll('-', '_')}`, value]
  })
  const files = { GITHUB_EVENT_PATH: events, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp }
  return {
    output,
    summary,
    env: { ...Object.fromEntries([...named, ...given]), ...files, ...(env ?? usualKey(model)) },
  }
}

/** What `github bench` and `github comment` do in their steps. */
async function runCommands(options: PullRequestOptions) {
  const job = pullRequestJob(options)
  const { output, summary, env } = stepOf(job, options)
  const bench = await runMain(['github', 'bench'], { cwd: job.folder, env })
  const outputs = readPairs(readText(output))
  const more = { ...env, INPUT_OUTCOME: outputs.outcome ?? '' }
  const comment = await runMain(['github', 'comment'], { cwd: job.folder, env: more })
  expect(comment.code, comment.stderr).toBe(0)
  return { code: bench.code, outputs, log: bench.stderr + comment.stderr, summary: readText(summary) }
}

describe('a pull request that changes a skill', () => {
  const caches: Caches = new Map()
  const signed = { 'signing-key': 'a-secret-of-the-repository' }
  const evals = [
    { ...suite('tidy').evals[0], eval_name: '##[add-mask]tidy' },
    { ...suite('tidy').evals[0], id: 2 },
  ]
  const repository = makeRepository(skillFiles('tidy', 'NOTHING', { skill_name: 'tidy', evals }))

  test('is compared with the merge base; the comment says the verdict and links to the report; names are no commands', async () => {
    await using github = await startGithub()
    const end = await runOnPullRequest({ repository, github, model: model.url, inputs: signed }, caches)
    expect(end, end.log).toMatchObject({ outcome: 'success', outputs: { 'exit-code': '0', verdict: 'inconclusive' } })
    const { cost, report, benchmarks } = end.outputs
    const paid = JSON.parse(readText(path.join(benchmarks ?? '', 'benchmark.json'))).cost
    expect(paid.agent_usd).toBeGreaterThan(0)
    expect(Number(cost)).toBeCloseTo(paid.agent_usd + paid.judge_usd, 6)
    expect(report).toBe(path.join(benchmarks ?? '', 'report.html'))
    const [body = ''] = github.ours()
    expect(body).toMatch(/^\| inconclusive \| tidy \| 100% \| 0% \| \+100.*passed \| \$0\.\d+ \| \d+\.\d s \|$/m)
    expect(body).toContain('Changes since the base')
    expect(body).toContain('[Report](https://github.example/artifact/1)')
    expect(end.log).toMatch(/^::notice title=tidy::Inconclusive: pass rate 100%25 with the new version/m)
    expect(end.log).toContain('##[add-mask]') // negative control: it is there, and inert
    expect(end.commands.map((line) => line.split('::', 2)[1])).toEqual(['notice title=tidy'])
    expect(end.summary).toContain('# Skill benchmark: tidy')
    expect(end.log + end.summary + body).not.toContain('ghs_token-of-the-job')
    expect(github.requests.every(({ token }) => token === 'Bearer ghs_token-of-the-job')).toBe(true)
  })
  test('the next push pays only for what is new and updates the comment; a failed gate fails the job, no artifact does not', async () => {
    await using github = await startGithub({ comments: [{ body: `${marker}\nold`, user: bot }] })
    rmSync(path.join(repository.folder, 'workspaces'), { recursive: true })
    const answered = () => model.requests.filter(({ rule }) => rule !== null).length
    const before = answered()
    const uploads = () => {
      throw new Error('no artifacts here')
    }
    const how = { inputs: { gate: 'pass_rate < 0.5', ...signed }, runId: '2', uploads }
    const end = await runOnPullRequest({ repository, github, model: model.url, ...how }, caches)
    const outputs = { 'exit-code': '1', cost: '0', 'report-url': '' }
    expect(end, end.log).toMatchObject({ outcome: 'failure', outputs })
    expect(end.log).toContain('no artifacts here')
    expect(answered()).toBe(before)
    expect(before).toBeGreaterThan(4)
    expect(github.ours()).toEqual([
      expect.stringMatching(/## tidy: inconclusive[\s\S]*- Gate \*\*failed\*\*: pass_rate/),
    ])
    expect(end.log).toMatch(/^::error title=tidy::gate failed: pass_rate < 0\.5/m)
    expect([...caches.keys()]).toEqual(['whetstone/Linux/whetstone/1-1', 'whetstone/Linux/whetstone/2-1'])
  })
  test('without the key that signed them, cached runs and results in the checkout are not used, and the log says how to get it', async () => {
    await using github = await startGithub()
    const before = model.requests.length
    const end = await runOnPullRequest({ repository, github, model: model.url, runId: '3' }, caches)
    expect(end.log).toContain('4 cached results without your signature: not used (in CI, set WHETSTONE_SIGNING_KEY')
    expect(model.requests.length).toBeGreaterThan(before + 4)
  })
})

test('inputs are words, never shell: nothing of them is executed', async () => {
  await using github = await startGithub()
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'injected-')), 'proof')
  const attack = `x"; touch ${file}; $(touch ${file}) \`touch ${file}\``
  const words = { engine: attack, skills: attack, gate: attack, args: attack, baseline: attack, budget: attack }
  const inputs = { ...words, comment: 'false' }
  const end = await runOnPullRequest({ repository: makeRepository(), github, model: model.url, inputs })
  expect(end).toMatchObject({ outputs: { 'exit-code': '2' } })
  expect(github.requests).toEqual([])
  expect(existsSync(file)).toBe(false)
  writeFileSync(file, '') // negative control: the place can be written
})

test('messages about a suite are no workflow commands', async () => {
  const evals = [{ id: 2, eval_name: hostile, prompt: 'a file is missing', files: [hostile] }]
  const repository = makeRepository({}, skillFiles('tidy', 'TIDY', { skill_name: 'tidy', evals }))
  await using github = await startGithub()
  const options = { repository, github, model: model.url }
  const { stderr } = await whetstone(['github', 'bench'], {
    cwd: repository.folder,
    env: stepOf(pullRequestJob(options), options).env,
  })
  expect(stderr).toMatch(/^::error::pwned/m) // negative control: it is there, and inert
  expect(readCommands(stderr)).toEqual([expect.stringMatching(/^::error title=Whetstone::/)])
})

describe('the commands of its steps', () => {
  test('a configuration file counts as it is at the base; what the pull request changes in it needs a yes', async () => {
    await using github = await startGithub()
    const config = { 'whetstone.config.yaml': 'ask-above-cost: 1000\n' }
    const [base, changed] = [skillFiles('tidy', 'NOTHING', suite('tidy')), skillFiles('tidy', 'TIDY', suite('tidy'))]
    const before = model.requests.length
    const options = { repository: makeRepository(base, { ...changed, ...config }), github, model: model.url }
    const refused = await runCommands(options)
    expect(refused, refused.log).toMatchObject({ code: 2, log: expect.stringContaining('ask-above-cost: 1000 is not') })
    expect(model.requests.length).toBe(before)
    const said = await runCommands({ ...options, inputs: { args: '--trust-suite --trust-config' } })
    expect(said, said.log).toMatchObject({ code: 0 })
    const own = await runCommands({ ...options, repository: makeRepository({ ...base, ...config }, changed) })
    expect(own, own.log).toMatchObject({ code: 0 })
  })
  test('a missing key ends the job, and the comment names the secret', async () => {
    await using github = await startGithub()
    const env = { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' }
    const end = await runCommands({ repository: makeRepository(), github, env })
    expect(end, end.log).toMatchObject({ code: 2, outputs: { 'exit-code': '2', verdict: 'failed' } })
    for (const text of [end.log, end.summary, github.ours()[0]]) {
      expect(text).toContain('add a secret ANTHROPIC')
      expect(text).toContain('secrets.ANTHROPIC')
    }
  })
  test('pull_request_target with the code of a fork is refused, until a person approved it: then all of its skills', async () => {
    await using github = await startGithub()
    const base = skillFiles('tidy', 'NOTHING', suite('tidy'))
    const branch = { ...skillFiles('fresh', 'TIDY', suite('fresh')), ...skillFiles('tidy', 'TIDY', suite('tidy')) }
    const repository = makeRepository(base, branch)
    const fork = { repository, github, model: model.url, event: 'pull_request_target', from: 'mallory/skills' }
    const before = model.requests.length
    expect(await runCommands(fork)).toMatchObject({ code: 2, outputs: { 'exit-code': '2', cache: 'false' } })
    expect(model.requests.length).toBe(before)
    expect(github.ours()[0]).toContain('the checkout is code from a fork')
    const approved = await runCommands({ ...fork, inputs: { forks: 'approved' } })
    // what a fork's code left is not for the jobs of the repository
    expect(approved, approved.log).toMatchObject({ code: 0, outputs: { 'exit-code': '0', cache: 'false' } })
    expect(approved.outputs.benchmarks?.split('\n')).toHaveLength(2)
    expect(approved.outputs.report).toMatch(/workspaces\/index\.html$/)
    const [body = ''] = github.ours()
    expect(body).toContain('## Skills: 2 inconclusive')
    expect(body).toMatch(/### fresh[\s\S]*Cases without and with the skill/)
    expect(body).toMatch(/### tidy[\s\S]*Changes since the base/)
  })
})

test('a cancelled job: the signal reaches bench, which ends its runs and leaves an outcome', async () => {
  await using github = await startGithub()
  await using slow = await startModel(1000)
  const options = { repository: makeRepository(), github, model: slow.url }
  const { env, output } = stepOf(pullRequestJob(options), options)
  const end = await whetstone(['github', 'bench'], {
    ...{ cwd: options.repository.folder, env },
    started: async (child) => {
      await expect.poll(() => slow.requests.some(({ rule }) => rule !== null)).toBe(true)
      child.kill('SIGINT')
    },
  })
  expect(end, end.stderr).toMatchObject({ code: 130 })
  expect(readText(output)).toMatch(/exit-code<<(.*)\n130\n/)
})
