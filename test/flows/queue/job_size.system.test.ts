/** The queue only carries: prompts, inputs and skills of any size reach the agent, and nothing large lies on the server meanwhile. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { needsRedis } from '../../jobs/queue/servers.ts'
import { benchHere, makeAgent, redisHere, wishFor, workHere } from './here.ts'

const most = 48 * 1024

/** Bytes of the largest value that the server holds. */
async function largestAt(url: string): Promise<number> {
  const redis = new Redis(url)
  try {
    const sizes = (await redis.keys('*')).map((key) => redis.memory('USAGE', key, 'SAMPLES', 0))
    return Math.max(...(await Promise.all(sizes)).map(Number))
  } finally {
    await redis.quit()
  }
}

needsRedis('a job', () => {
  const url = redisHere()

  /** A benchmark whose agents wait until the server was looked at. */
  async function benchOf(prompt: string, files: Record<string, string> = {}) {
    const agent = makeAgent()
    const shared = fresh()
    const cache = { folder: fresh(), maxBytes: 2 ** 24 }
    await using _worker = await workHere(url(), shared, { cache })
    const inputs = Object.keys(files).filter((name) => name.startsWith('evals/'))
    const skill = makeSkill([{ id: 1, prompt, files: inputs, checks: [{ type: 'contains', value: 'TIDY' }] }], files)
    const end = benchHere({ skill, engine: agent.engine, workspace: fresh(), queue: wishFor(url(), shared) })
    end.catch(() => {}) // looked at below
    await Promise.race([agent.untilBegun(2), end])
    const largest = await largestAt(url())
    agent.open()
    const { benchmark, folder, plan } = await end
    const answers = plan.runs.map(({ run_id }) => readFileSync(path.join(folder, run_id, 'outputs/answer.txt'), 'utf8'))
    return { benchmark, answers, largest }
  }

  test('of a prompt of 300 KB, a large input and a large skill is small', async () => {
    const prompt = `wait ${'long '.repeat(60_000)}end`
    const large = 'x'.repeat(2 ** 20)
    const files = { 'evals/in.txt': large, 'references/all.md': large }
    const { benchmark, answers, largest } = await benchOf(prompt, files)
    expect(largest).toBeLessThan(most)
    expect(answers).toEqual([`${prompt}\n`, `${prompt}\n`])
    expect(benchmark).toMatchObject({ complete: true, counts: { used: 2, planned: 2 } })
  })

  test('control: what lies in a job is seen', async () => {
    const prompt = `wait ${'long '.repeat(3000)}end`
    const { answers, largest } = await benchOf(prompt)
    expect(largest).toBeGreaterThan(prompt.length)
    expect(answers).toEqual([`${prompt}\n`, `${prompt}\n`])
  })
})
