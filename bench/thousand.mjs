// A benchmark of 1,000 runs with six judged expectations each: run a second time, aggregated, opened in Chromium.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { benchmarkFolder, median, repeat, runProgram, startPractice, temporaryFolder, writeSkill } from './shared.mjs'

const count = 1000
const shown = count.toLocaleString('en')

export async function* measure() {
  const workspace = path.join(temporaryFolder(), 'workspace')
  yield* secondBench(workspace)
  const folder = benchmarkFolder(workspace)
  const times = await repeat(3, () => runProgram(['aggregate', folder]))
  const value = median(times.map(({ ms }) => ms)) / 1000
  yield { what: `aggregate and page of ${shown} runs`, value, unit: 's', limit: 3 }
  yield await openPage(path.join(folder, 'report.html'))
}

async function* secondBench(workspace) {
  const expectations = Array.from({ length: 6 }, (_, index) => `The answer meets requirement ${index + 1}.`)
  const evidence =
    'The final answer says "done", which is all that the task asked of the agent in this case, so this passes.'
  const verdicts = expectations.map((_, index) => ({ n: index + 1, passed: true, evidence }))
  const judge = { name: 'judge', when: { tool: '^submit$' }, tool_calls: [{ name: 'submit', input: { verdicts } }] }
  const server = await startPractice({ rules: [judge, { name: 'answer', text: 'done' }] })
  try {
    const cases = Array.from({ length: 100 }, (_, index) => ({ prompt: `Do number ${index + 1}.`, expectations }))
    const flags = ['--engine', 'anthropic:practice-1', '--runs', `${count / 200}`, '--concurrency', '16']
    const bench = ['bench', writeSkill(cases), ...flags, '--workspace', workspace]
    await runProgram(bench, { env: server.env })
    const paid = server.calls()
    if (paid < 2 * count) throw new Error(`the first bench called the model ${paid} times, expected ${2 * count}`)
    const times = await repeat(3, () => runProgram(bench, { env: server.env }))
    const what = `second bench of ${shown} unchanged runs`
    yield { what: `${what}: model calls`, value: server.calls() - paid, unit: '', limit: 0 }
    yield { what, value: median(times.map(({ ms }) => ms)) / 1000, unit: 's', limit: 10 }
  } finally {
    await server.stop()
  }
}

/** From the opening of the address until the headline is drawn; all controls are drawn with it. */
async function openPage(report) {
  const what = `page of ${shown} runs: interactive`
  const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  const executablePath = places.find((file) => existsSync(file))
  if (executablePath === undefined) return { what, skipped: 'Chromium is not installed; apt-get install chromium' }
  const { chromium } = await import('playwright-core')
  const times = await repeat(5, async () => {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    const page = await browser.newPage()
    const start = performance.now()
    await page.goto(pathToFileURL(report).href)
    await page.locator('h1').waitFor()
    const ms = performance.now() - start
    await browser.close()
    return ms
  })
  return { what, value: median(times) / 1000, unit: 's', limit: 1 }
}
