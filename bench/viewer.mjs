// The page of 10,000 runs (6 expectations each, evidence of 130 characters): written, opened and searched in Chromium; beside it
// skill-creator's page of the same data, where WHETSTONE_SKILL_CREATOR or the second argument names a checkout of it.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { root } from './shared.mjs'
import { manyRuns, writeFolders } from './viewer_data.mjs'

const runs = Number(process.argv[2] ?? 10_000)
const theirs = process.argv[3] ?? process.env.WHETSTONE_SKILL_CREATOR ?? null
const { writePage } = await import(path.join(root, 'dist/src/flows/page/write_page.js'))
const { redactorFor } = await import(path.join(root, 'dist/src/base/redact.js'))

const folder = mkdtempSync(path.join(tmpdir(), 'viewer-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const benchmark = manyRuns(runs)

const report = path.join(folder, 'report.html')
const before = performance.now()
await writePage({ folder, report, benchmark, prompts: null, folders: new Map(), redactor: redactorFor({}) })
const written = (performance.now() - before) / 1000

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file))
const launch = () => chromium.launch({ executablePath, args: ['--no-sandbox'] })

/** Megabytes that the browser's processes for pages hold, shared parts counted by share. */
async function rendererMegabytes(browser) {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const kilobytes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))?.[1] ?? 0))
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1000
}

/** Five times, each in a new browser: when it can be used (ms, the middle one), what it holds then. */
async function openings(url, usable) {
  const all = []
  for (let left = 5; left > 0; left -= 1) {
    const browser = await launch()
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } })
    await page.route(/^https?:/, (route) => route.abort())
    await page.goto(url)
    const ready = await page.evaluate(usable)
    const nodes = await page.evaluate('document.querySelectorAll("*").length')
    all.push({ ready, nodes, memory: await rendererMegabytes(browser) })
    await browser.close()
  }
  return all.sort((a, b) => a.ready - b.ready)[2]
}

const own = await openings(
  `file://${report}`,
  `new Promise((resolve) => {
    const look = () => {
      const [mark] = performance.getEntriesByName('ready')
      if (mark === undefined || document.querySelector('h1') === null) setTimeout(look, 5)
      else resolve(mark.startTime)
    }
    look()
  })`,
)

const browser = await launch()
const page = await browser.newPage({ viewport: { width: 1200, height: 900 } })
await page.goto(`file://${report}#/runs`)
await page.waitForSelector('.run-row')
const nodes = await page.evaluate('document.querySelectorAll("*").length')
const filters = []
for (const query of ['arm:with_skill', 'status:failed cost>0.5', 'region', '-arm:with_skill time<20', 'rate=1']) {
  filters.push(
    await page.evaluate(`new Promise((resolve) => {
      const start = performance.now()
      location.hash = '#/runs?q=' + encodeURIComponent(${JSON.stringify(query)})
      addEventListener('hashchange', () => requestAnimationFrame(() => resolve(performance.now() - start)), { once: true })
    })`),
  )
}
await page.goto(`file://${report}#/run/1/with_skill/1`)
await page.locator('.verdicts .evidence').first().waitFor()
const evidence = await page.locator('.verdicts .evidence').count()
await browser.close()

const lines = [
  ['page', statSync(report).size / 1e6, 'MB', 1.5],
  ['written in', written, 's', 3],
  ['interactive after', own.ready / 1000, 's', 1],
  ['slowest filter, to the next frame', Math.max(...filters), 'ms', 50],
  ['DOM nodes', Math.max(nodes, own.nodes), '', 3000],
]
for (const [name, value, unit, limit] of lines) {
  const passed = value <= limit
  if (!passed) process.exitCode = 1
  console.log(`${passed ? 'ok  ' : 'OVER'} ${runs} runs: ${name} ${value.toFixed(2)} ${unit} (at most ${limit})`)
}
console.log(`     evidence of a run on demand: ${evidence} texts; memory of the page ${own.memory.toFixed(0)} MB`)
await besideTheirs()

async function besideTheirs() {
  const script = theirs === null ? null : path.join(theirs, 'eval-viewer/generate_review.py')
  if (script === null || !existsSync(script)) {
    const reason = script === null ? 'no checkout of skill-creator is named' : `${script} is not there`
    console.log(`     skill-creator's page: skipped, ${reason} (node bench/viewer.mjs ${runs} DIR)`)
    return
  }
  const workspace = path.join(folder, 'workspace')
  writeFolders(workspace, benchmark)
  const file = path.join(folder, 'benchmark.json')
  writeFileSync(file, JSON.stringify(benchmark))
  const out = path.join(folder, 'review.html')
  const start = performance.now()
  execFileSync('python3', [script, workspace, '--benchmark', file, '--static', out], { stdio: 'ignore' })
  const seconds = (performance.now() - start) / 1000
  const {
    ready,
    nodes: theirNodes,
    memory,
  } = await openings(`file://${out}`, `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`)
  const megabytes = statSync(out).size / 1e6
  console.log(
    `     skill-creator's page of the same: ${megabytes.toFixed(1)} MB, read and written in ${seconds.toFixed(1)} s, interactive after ${(ready / 1000).toFixed(2)} s, ${theirNodes} nodes, memory ${memory.toFixed(0)} MB`,
  )
}
