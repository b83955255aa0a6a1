/** `view --serve` in a real browser with the fleet of a queue. */
import { expect, test } from 'vitest'
import { tidyAgent } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { shareBrowser, withChromium } from '../../viewer/browser.ts'
import { benchHere, startServed } from '../serve_page/served.ts'
import { needsRedis, startRedis } from './server/servers.ts'
import { startWorker } from './worker.ts'

needsRedis('of a real queue', () => {
  withChromium('the fleet', () => {
    const { fresh: open } = shareBrowser()
    test('the page shows workers as they join and finish runs; it names a queue that does not answer', async () => {
      await using server = await startRedis()
      const [folder, shared] = [await benchHere(tidyAgent, 1), fresh()]
      const served = await startServed(folder, ['--queue', server.url])
      try {
        const page = await open(served.url, '#/fleet')
        await page.getByText('No worker is running.').waitFor()
        await using worker = await startWorker(server.url, shared)
        await page.getByRole('heading', { name: /^1 worker, / }).waitFor()
        await benchHere(tidyAgent, 1, ['--queue', server.url, '--shared', shared])
        const made = page.locator('section[aria-labelledby=workers] tbody tr td:nth-child(4)')
        await expect.poll(() => made.textContent()).toBe('2')
        await expect.poll(() => page.locator('section[aria-labelledby=queues] tbody tr').count()).toBe(1)
        await expect.poll(() => page.getByText('command', { exact: true }).count()).toBeGreaterThan(0)
        await worker.stop()
        await page.getByText('No worker is running.').waitFor()
        await server.kill()
        await page.getByText('These numbers are out of date:').waitFor()
        served.stop()
        await served.ended // though the queue is away
      } finally {
        served.stop()
      }
    })
  })
})
