/** The fleet beside a served page, in a real browser: who works for a real queue, live, and what is said when the queue is away. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { computeFleetRates } from '../../../src/flows/view/serve/fleet.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { startWorker } from '../../flows/queue/worker.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { launch, open, withChromium } from '../browser.ts'
import { ask, startServed } from './served.ts'

describe('rates', () => {
  const at = (seconds: number, done: Record<string, number>) => ({
    at: seconds * 1000,
    done: new Map(Object.entries(done)),
  })
  test('are runs a minute between the first and the last look', () => {
    expect(computeFleetRates([])).toBeNull()
    expect(computeFleetRates([at(0, { a: 1 })])).toBeNull()
    expect(computeFleetRates([at(0, { a: 1 }), at(10, { a: 2 }), at(30, { a: 4 })])).toEqual(new Map([['a', 6]]))
  })
  test('a worker that came meanwhile counts from nothing, one that is gone or began anew never below it', () => {
    expect(computeFleetRates([at(0, { a: 5, b: 9 }), at(60, { a: 2, c: 3 })])).toEqual(
      new Map([
        ['a', 0],
        ['c', 3],
      ]),
    )
  })
})

/** A workspace with a benchmark of a run an arm, and the command that made it. */
async function benched(): Promise<{ workspace: string; bench: string[] }> {
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])
  const flags = ['--engine', agent('tidy.mjs'), '--runs', '1', '--workspace', workspace, '--no-cache']
  const bench = ['bench', skill, ...flags]
  expect((await whetstone(bench)).code).toBe(0)
  return { workspace, bench }
}

needsRedis('of a real queue', () => {
  withChromium('view --serve --queue', () => {
    test('workers come and work under the reader; a queue that is away is told', async () => {
      await using server = await startRedis()
      const [{ workspace, bench }, shared] = [await benched(), fresh()]
      const served = await startServed(workspace, ['--queue', server.url])
      const browser = await launch()
      try {
        const { page, errors } = await open(browser, `${served.url}#/fleet`)
        await page.getByText('No worker is running.').waitFor()
        await using worker = await startWorker(server.url, shared)
        await page.getByRole('heading', { name: /^1 worker, / }).waitFor()
        expect((await whetstone([...bench, '--queue', server.url, '--shared', shared])).code).toBe(0)
        const made = page.locator('section[aria-labelledby=workers] tbody tr td:nth-child(4)')
        await expect.poll(() => made.textContent(), { timeout: 20_000 }).toBe('2')
        await expect.poll(() => page.locator('section[aria-labelledby=queues] tbody tr').count()).toBe(1)
        await expect.poll(() => page.getByText('command', { exact: true }).count()).toBeGreaterThan(0)
        await worker.stop()
        await page.getByText('No worker is running.').waitFor()
        await server.kill()
        await page.getByText('These numbers are out of date:').waitFor()
        expect(errors).toEqual([])
        served.stop()
        await served.ended // though the queue is away
      } finally {
        await browser.close()
        served.stop()
      }
    }, 120_000)
    test('without a queue there is neither tab nor address', async () => {
      const { workspace } = await benched()
      const served = await startServed(workspace)
      expect(await ask(served.url, { path: '/fleet.json' })).toBe(404)
      expect(await (await fetch(served.url)).text()).not.toContain('data-fleet')
      served.stop()
      const none = await whetstone(['view', workspace, '--queue', 'redis://127.0.0.1:1', '--no-open'])
      expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--queue without --serve') })
    }, 60_000)
  })
})
