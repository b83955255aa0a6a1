/** Long work: it goes on while nobody waits, ends with the server, and is resumed by the same plan without being paid twice. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agent } from '../../e2e/program.ts'
import { connect, makePlace, small, startExamplePractice } from './connect.ts'

const elicit = () => ({ action: 'accept', content: { approve: true } }) as const

describe('work that is interrupted', () => {
  let practice: Awaited<ReturnType<typeof startExamplePractice>>
  let improving: Awaited<ReturnType<typeof startExamplePractice>>
  beforeAll(async () => {
    practice = await startExamplePractice('example', { isSlow: true })
    improving = await startExamplePractice('example-improve', { isSlow: true })
  })
  afterAll(async () => {
    await practice.close()
    await improving.close()
  })

  test('kill -9 of the server: the same plan id resumes in another one, keeps the runs, and asks nobody again', async () => {
    const place = makePlace(practice.url)
    const first = await connect(place, { elicit })
    const plan = await first.call('plan', { ...small, runs: 3, concurrency: 1 })
    const given = { plan_id: plan.value.plan_id }
    const wait = { ...given, wait_seconds: 0 }
    expect((await first.call('bench', wait)).value).toMatchObject({ status: 'running', plan_id: given.plan_id })
    await expect.poll(async () => (await first.call('status', wait)).value.done).toBeGreaterThan(1)
    process.kill(first.transport.pid ?? 0, 'SIGKILL')
    await expect.poll(() => isAlive(first.transport.pid)).toBe(false)

    await using second = await connect(place)
    const stopped = await second.call('status', wait)
    expect(stopped.value).toMatchObject({ status: 'interrupted', next: expect.stringContaining('bench') })
    const folder = String(stopped.value.folder)
    const kept = readRuns(folder)
    expect(Object.keys(kept).length).toBeGreaterThan(1)
    const { value, text } = await second.call('bench', given)
    expect(value, text).toMatchObject({ status: 'done', counts: { planned: 6, used: 6 } })
    expect(readRuns(folder)).toMatchObject(kept)
    expect(Object.keys(readRuns(folder)).length).toBe(6)
    const paid = practice.asked()
    expect((await second.call('bench', given)).value).toMatchObject({ status: 'done' })
    expect(practice.asked()).toBe(paid)
  })

  test('a session of improve, cancelled and resumed', async () => {
    const args = ['--approve-up-to', '0'] // what it needs of the command line; a client that asks is in the other tests
    await using one = await connect(makePlace(improving.url, 'example-improve/adder'), { args })
    const plan = await one.call('plan', {
      ...{ kind: 'improve', skill: 'adder', engine: small.engine, judge: small.judge },
      ...{ total_runs: 20, budget_tokens: 100_000_000, concurrency: 6 },
    })
    expect(plan.value, plan.text).toMatchObject({ kind: 'improve', agent_runs: 20 })
    const given = { plan_id: plan.value.plan_id }
    await one.call('improve', { ...given, wait_seconds: 0 })
    await expect
      .poll(async () => (await one.call('status', { ...given, wait_seconds: 0 })).value.done)
      .toBeGreaterThan(1)
    expect((await one.call('cancel', given)).value).toMatchObject({ status: 'interrupted' })
    const at: number[] = []
    const ended = await one.call('improve', given, { onprogress: ({ progress }) => void at.push(progress) })
    expect(ended.value, ended.text).toMatchObject({ status: 'done', best_folder: expect.stringContaining('versions') })
    expect(at).toEqual([...new Set(at)].sort((a, b) => a - b))
    const result = await one.call('result', { place: ended.value.workspace, kind: 'session' })
    expect(result.value.sentence).toBe(ended.value.sentence)
    const again = await one.call('improve', given)
    expect(again.value).toMatchObject({ status: 'done', sentence: ended.value.sentence })
  })

  test.each(['closed input', 'SIGTERM', 'SIGKILL'] as const)('no agent is left: %s', async (how) => {
    const mark = `mark-${how.replace(' ', '-')}-${process.pid}`
    const one = await connect(makePlace(practice.url), { elicit, args: ['--allow-programs'] })
    const plan = await one.call('plan', {
      ...{ kind: 'bench', skill: 'invoice-totals', engine: `${agent('misbehave.mjs')} ignore_sigterm ${mark}` },
      ...{ judge: small.judge, runs: 1, cases: ['1'], budget_usd: 1, cost_per_run_usd: 0.01 },
    })
    await one.call('bench', { plan_id: plan.value.plan_id, wait_seconds: 0 })
    await expect.poll(() => processesWith(mark)).not.toEqual([])
    const { pid } = one.transport
    if (how === 'closed input') await one.client.close()
    else process.kill(pid ?? 0, how)
    await expect.poll(() => isAlive(pid)).toBe(false)
    await expect.poll(() => processesWith(mark)).toEqual([])
    expect(one.said.stderr).toBe('')
  })
})

/** The ids of the processes that have this text in their command line. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
    } catch {
      return false // it has ended
    }
  })
}

function isAlive(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0)
  } catch {
    return false
  }
}

/** When each finished run started, by its folder. */
function readRuns(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) =>
    /^eval-.*\/run\.json$/.test(one),
  )
  return Object.fromEntries(
    files
      .filter((file) => existsSync(path.join(folder, file)))
      .map((file) => [file, String(JSON.parse(readFileSync(path.join(folder, file), 'utf8')).started_at)]),
  )
}
