/** bench when reused runs are older than the runs they are compared with, and the model has or has not changed since. */
import { once } from 'node:events'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { tidyCases } from '../bench/benched.ts'
import { fresh, makeSkill } from '../program.ts'

/** The model before it changes: only with the skill the task is done. */
const before = "rules: [{ name: with, when: { system: 'SKILL.md' }, text: TIDY }, { name: without, text: untidy }]"
/** The model after it has changed: the task is always done. */
const after = "rules: [{ name: with, when: { system: 'SKILL.md' }, text: TIDY }, { name: without, text: TIDY }]"

const evals = tidyCases(4)

const judge = `{ name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: true, evidence: TIDY }] } }] }`
const judged = (model: string) => model.replace('rules: [', () => `rules: [${judge}, `)

/** The practice model under another model id. Listens on `port`. */
async function startUnderOtherName(url: string, port: number): Promise<AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const own = ['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding']
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      own.includes(name) ? [] : [[name, String(value)]],
    )
    const body = request.method === 'POST' ? await text(request) : null
    const answer = await fetch(`${url}${request.url}`, { method: request.method ?? 'GET', headers, body })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end((await answer.text()).replaceAll('claude-haiku-4-5', 'claude-haiku-4-6'))
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A skill that was benchmarked with the first model and then changed in one irrelevant line. `port`: the address is in the cache's key. */
async function benchedBefore(suite: readonly object[] = evals, model = before) {
  const skill = makeSkill(suite)
  const workspace = path.join(fresh(), 'ws')
  const folder = () => {
    const root = path.join(workspace, 'benchmarks')
    return path.join(root, readdirSync(root).sort().at(-1) ?? '')
  }
  let port = 0
  const benchOn = async (model: string, ...flags: string[]) => {
    const isRenamed = flags[0] === 'renamed'
    await using server = await startPractice({
      scenario: parseScenario(model, 'test.yaml'),
      port: isRenamed ? 0 : port,
    })
    await using _other = isRenamed ? await startUnderOtherName(server.url, port) : null
    if (!isRenamed) port = server.port
    return await benchAt(`http://127.0.0.1:${port}`, server, flags.slice(isRenamed ? 1 : 0))
  }
  const benchAt = async (url: string, server: Pick<PracticeServer, 'requests'>, flags: readonly string[]) => {
    const args = ['bench', skill, '--engine', 'anthropic:claude-haiku-4-5', '--workspace', workspace, ...flags]
    const end = await runMain(args, { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice' } })
    const count = (name: string) => server.requests.filter(({ rule }) => rule === name).length
    return { ...end, asked: { with: count('with'), without: count('without') }, judged: count('judge') }
  }
  const result = () => {
    const { statistics, ...rest } = benchmark.parse(
      JSON.parse(readFileSync(path.join(folder(), 'benchmark.json'), 'utf8')),
    )
    return { ...rest, ...statistics?.scopes, older: statistics?.older_runs }
  }
  const change = () => appendFileSync(path.join(skill, 'SKILL.md'), 'Be kind.\n')
  const first = await benchOn(model)
  expect(first, first.stderr).toMatchObject({ code: 0, asked: { with: 12, without: 12 } })
  expect(result()).toMatchObject({ these_cases: { verdict: 'helps' } })
  change()
  const write = (changed: readonly object[]) =>
    writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals: changed }))
  return { benchOn, result, folder, change, write }
}

describe('the model has changed since the baseline was cached', () => {
  test('the sample finds it, the whole baseline is run again, and the skill makes no difference', async () => {
    const made = await benchedBefore()
    const end = await made.benchOn(after, '--baseline-age', '0s', '--gate', 'verdict == helps')
    expect(end.asked).toEqual({ with: 12, without: 12 })
    expect(end.stderr).toContain('12 without_skill runs are more than 0 h older')
    expect(end.stderr).toContain('without_skill: results have drifted (0% before, 100% in 4 runs again')
    expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining('gate failed: verdict == helps') })
    expect(made.result()).toMatchObject({
      these_cases: { difference: { mean: 0 } },
      complete: true,
      older: {
        is_concurrent: true,
        tests: [{ configuration: 'without_skill', result: 'drift', older: 12, sampled: 4, checks_flipped: 4 }],
      },
    })
    expect(made.result().reused, 'nothing is left of the cached baseline').toBeUndefined()
    made.change()
    const next = await made.benchOn(after)
    expect(next.asked, 'the cache has the new baseline').toEqual({ with: 12, without: 0 })
    expect(made.result()).toMatchObject({ these_cases: { difference: { mean: 0 } } })
  })
  test('negative control: within --baseline-age the whole baseline comes from the cache', async () => {
    const made = await benchedBefore()
    const end = await made.benchOn(after)
    expect(end).toMatchObject({ code: 0, asked: { with: 12, without: 0 } })
    expect(made.result()).toMatchObject({ these_cases: { difference: { mean: 1 } }, older: { tests: [] } })
  })
  test('within --baseline-age too, where its answers name another model', async () => {
    const made = await benchedBefore()
    const end = await made.benchOn(after, 'renamed')
    expect(end.asked, end.stderr).toEqual({ with: 12, without: 12 })
    expect(end.stderr).toContain('older runs are from another model or engine version')
    expect(made.result()).toMatchObject({
      metadata: { executor_model: 'claude-haiku-4-6' },
      these_cases: { difference: { mean: 0 } },
      older: { is_concurrent: true, tests: [{ result: 'engine_changed' }] },
    })
  })
  test('where the budget stops the sample: incomplete and not concurrent, no gate passes, continue with the same command', async () => {
    const made = await benchedBefore()
    const gates = ['difference > 0', 'verdict != hurts', 'baseline_pass_rate < .5', 'pass_rate > .5', 'suspicious == 0']
    const flags = ['--baseline-age', '0s', ...gates.flatMap((gate) => ['--gate', gate])]
    const end = await made.benchOn(after, ...flags, '--budget-tokens', '1000')
    expect(end.code, end.stderr).toBe(3)
    expect(made.result()).toMatchObject({
      complete: false,
      these_cases: { verdict: 'incomplete' }, // the rest of the plan is missing too
      older: { is_concurrent: false, untested: { without_skill: expect.any(Number) }, tests: [] },
    })
    const passed = gates.map((gate) => end.stdout.includes(`gate passed: ${gate}`))
    expect(passed).toEqual([false, false, false, false, false])
    expect(end.stdout.replaceAll(/\s+/g, ' ')).toMatch(/ Incomplete: .* have no grade\. .* Baseline not concurrent: /)
    const folder = made.folder()
    const rest = await made.benchOn(after, ...flags)
    expect(made.folder()).toBe(folder)
    expect(rest).toMatchObject({ code: 1, stdout: expect.stringContaining('gate passed: verdict != hurts') })
    expect(made.result()).toMatchObject({
      complete: true,
      older: { is_concurrent: true, tests: [{ result: 'drift' }] },
    })
    expect(rest.asked.with + rest.asked.without + end.asked.with + end.asked.without, 'nothing is paid for twice').toBe(
      24,
    )
  })
})

describe('the model is the same', () => {
  test('a sample is run again and counts, the rest is reused, and gates pass', async () => {
    const made = await benchedBefore()
    const plan = await made.benchOn(before, '--baseline-age', '0s', '--dry-run', '--explain')
    expect(plan.asked).toEqual({ with: 0, without: 0 })
    expect(plan.stdout).toContain('8 runs are reused')
    expect(plan.stdout).toContain('4 older runs are run again')
    expect(plan.stdout.match(/without_skill\/run-\d\s.*older than those to compare with/g)).toHaveLength(4)
    const end = await made.benchOn(before, '--baseline-age', '0s', '--gate', 'verdict == helps')
    expect(end, end.stderr).toMatchObject({ code: 0, asked: { with: 12, without: 4 } })
    expect(end.stderr).toContain('12 without_skill runs are more than 0 h older')
    expect(made.result()).toMatchObject({
      reused: { runs: 8 },
      older: { is_concurrent: true, tests: [{ result: 'no_drift', older: 12, sampled: 4, p_value: 1 }] },
    })
  })
  test('where expectations have changed, the older runs of the sample are graded by the new ones', async () => {
    const suite = (words: string) => evals.map((one) => ({ ...one, expectations: [words] }))
    const made = await benchedBefore(suite('It is done.'), judged(before))
    made.write(suite('It is really done.'))
    const end = await made.benchOn(judged(before), '--baseline-age', '0s')
    expect(end, end.stderr).toMatchObject({ code: 0, asked: { with: 12, without: 4 }, judged: 24 })
    const tests = [{ result: 'no_drift', older: 12, sampled: 4, pass_rate_older: 0.5, pass_rate_new: 0.5 }]
    expect(made.result()).toMatchObject({ older: { is_concurrent: true, tests } })
    const older = readdirSync(path.join(made.folder(), '.older'), { recursive: true, encoding: 'utf8' })
    const gradings = older.filter((name) => name.endsWith('grading.json'))
    expect(gradings).toHaveLength(4)
    for (const file of gradings)
      expect(readFileSync(path.join(made.folder(), '.older', file), 'utf8')).toContain('It is really done.')
  })
  test('nothing is run again where both configurations come from one benchmark in the cache', async () => {
    const made = await benchedBefore()
    await made.benchOn(before, '--fresh')
    expect(await made.benchOn(before, '--baseline-age', '0s')).toMatchObject({ asked: { with: 0, without: 0 } })
    expect(made.result()).toMatchObject({ reused: { runs: 24 }, older: { is_concurrent: true, tests: [] } })
  })
})
