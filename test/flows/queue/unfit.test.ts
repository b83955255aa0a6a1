/** A worker that lacks the program leaves its jobs to another that has it; where none has, the benchmark stops as without a queue. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { jobVersion } from '../../../schemas/queue_job.ts'
import { canonicalJson, sha256 } from '../../../src/base/json.ts'
import { meets, needsOf, queueName } from '../../../src/flows/queue/needs.ts'
import { fresh } from '../../e2e/program.ts'
import { needsRedis } from '../../jobs/queue/servers.ts'
import { askedOf, benchHere, redisHere, type WorkerHere, workHere } from './here.ts'

const lacks = /^left to another worker: missing_binary: .*; this one takes none of its queue for 5 s$/

/** A PATH with an agent that takes a moment. */
function pathWithAgent(): string {
  const folder = fresh()
  writeFileSync(path.join(folder, 'tidy-agent'), '#!/bin/sh\ncat > /dev/null; sleep 0.3; echo TIDY\n', { mode: 0o755 })
  return `${folder}:${process.env.PATH}`
}

needsRedis('a worker that lacks the program', () => {
  const url = redisHere()
  const here = { env: { PATH: pathWithAgent() } }
  const asked = (shared: string, tag: string) =>
    askedOf({ engine: 'command:tidy-agent' }, ['one', 'two'], { url: url(), shared, tags: [tag] })
  const told = ({ told }: WorkerHere, type: string) => told.filter((event) => event.type === type)

  test('leaves its jobs to one that has it, and takes nothing of the queue for a while: the benchmark is complete', async () => {
    const shared = fresh()
    const tags = ['mixed']
    await using unfit = await workHere(url(), shared, { tags })
    await using fit = await workHere(url(), shared, { ...here, tags, concurrency: 1 })
    const { benchmark } = await benchHere({ ...asked(shared, 'mixed'), runs: 3 }, here)
    expect(benchmark).toMatchObject({ complete: true, counts: { planned: 12, used: 12, excluded: {} } })
    const left = told(unfit, 'job_left')
    expect(left[0]).toMatchObject({ reason: expect.stringMatching(lacks), lost: false })
    expect(left.length).toBeLessThan(12) // a few each time that it looks again
    expect(told(unfit, 'job_ended')).toEqual([])
    expect(told(fit, 'job_ended')).toHaveLength(12)
    expect(benchmark.other_attempts).toMatchObject({ attempts: left.length, usd: 0 })
  }, 60_000)

  test('and is one of two that do: what both could not do is a failed record, and nothing more is tried', async () => {
    const shared = fresh()
    const tags = ['none']
    await using one = await workHere(url(), shared, { tags })
    await using two = await workHere(url(), shared, { tags })
    const { benchmark, events } = await benchHere({ ...asked(shared, 'none'), runs: 10 }, here)
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 40, used: 0 } })
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [event.kind] : []))
    expect(new Set(ends)).toEqual(new Set(['missing_binary']))
    expect(ends.length).toBeLessThan(20)
    expect(told(one, 'job_left').length + told(two, 'job_left').length).toBeGreaterThan(0)
  }, 90_000)

  test('and is the only one that lives answers at once', async () => {
    const shared = fresh()
    const tags = ['alone']
    await using worker = await workHere(url(), shared, { tags })
    const { events } = await benchHere(asked(shared, 'alone'), here)
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [event.kind] : []))
    expect(new Set(ends)).toEqual(new Set(['missing_binary']))
    expect(told(worker, 'job_left')).toEqual([])
  }, 60_000)
})

test('jobs of another version are in another queue, from which no worker of ours takes', () => {
  const needs = needsOf({ name: 'command', model: null }, [], {})
  const offer = { engines: ['command'], tags: [], env: {} }
  const queue = queueName(needs)
  expect(queue).toBe(`runs-${sha256(canonicalJson([jobVersion, needs])).slice(0, 16)}`)
  expect(meets(offer, { queue, needs })).toBe(true)
  const other = `runs-${sha256(canonicalJson([jobVersion + 1, needs])).slice(0, 16)}`
  expect(meets(offer, { queue: other, needs })).toBe(false)
})
