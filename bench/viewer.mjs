// The page of 10,000 runs (6 expectations each, evidence of 130 characters): written, opened and searched in Chromium.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { root } from './shared.mjs'

const runs = Number(process.argv[2] ?? 10_000)
const { writePage } = await import(path.join(root, 'dist/src/flows/page/write_page.js'))
const { redactorFor } = await import(path.join(root, 'dist/src/base/redact.js'))

const words =
  'the report names every region and its total as line of output says with sum of north south east west'.split(' ')
let state = 7
const random = () => {
  state = (state * 48271) % 2147483647
  return state / 2147483647
}
const sentence = (length) => {
  let text = ''
  while (text.length < length) text += `${words[Math.floor(random() * words.length)]} ${Math.floor(random() * 999)} `
  return text.slice(0, length)
}

const perCase = 100
const cases = Array.from({ length: runs / perCase }, (_, index) => ({
  eval_id: index + 1,
  name: `case ${index + 1} ${sentence(20)}`,
}))
const statements = cases.map(() => Array.from({ length: 6 }, () => sentence(60)))
const folder = mkdtempSync(path.join(tmpdir(), 'viewer-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const all = cases.flatMap(({ eval_id, name }, at) =>
  ['with_skill', 'without_skill'].flatMap((configuration) =>
    Array.from({ length: perCase / 2 }, (_, index) => {
      const expectations = statements[at].map((text) => ({
        text,
        passed: random() < (configuration === 'with_skill' ? 0.8 : 0.5),
        evidence: sentence(130),
        decided_by: 'judge',
      }))
      const passed = expectations.filter((one) => one.passed).length
      return {
        eval_id,
        eval_name: name,
        configuration,
        run_number: index + 1,
        result: {
          pass_rate: passed / 6,
          passed,
          failed: 6 - passed,
          total: 6,
          time_seconds: Math.round(random() * 9000) / 100,
          tokens: Math.floor(random() * 90_000),
          tool_calls: Math.floor(random() * 30),
          errors: 0,
          cost_usd: Math.round(random() * 1e6) / 1e6,
          skill_read: configuration === 'with_skill',
        },
        expectations,
        notes: [],
      }
    }),
  ),
)
const stats = { mean: 0.7, stddev: 0.1, min: 0, max: 1 }
const benchmark = {
  metadata: {
    skill_name: 'sales-report',
    skill_path: '/skills/sales-report',
    executor_model: 'practice-1',
    analyzer_model: 'rules',
    timestamp: '2026-01-15T10:30:00Z',
    evals_run: cases.map(({ eval_id }) => eval_id),
    runs_per_configuration: perCase / 2,
  },
  runs: all,
  run_summary: { with_skill: { pass_rate: stats }, without_skill: { pass_rate: stats }, delta: { pass_rate: '+0.30' } },
  notes: [],
}
const report = path.join(folder, 'report.html')
const before = performance.now()
await writePage({ folder, report, benchmark, prompts: null, folders: new Map(), redactor: redactorFor({}) })
const written = (performance.now() - before) / 1000

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file))
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1200, height: 900 } })
await page.goto(`file://${report}#/runs`)
await page.waitForSelector('html[data-ready]')
await page.waitForSelector('.run-row')
const ready = await page.evaluate('performance.getEntriesByName("ready")[0]?.startTime ?? performance.now()')
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
const heap = await page.evaluate('performance.memory?.usedJSHeapSize ?? 0')
await browser.close()

const lines = [
  ['page', statSync(report).size / 1e6, 'MB', 1.5],
  ['written in', written, 's', 3],
  ['interactive after', ready / 1000, 's', 1],
  ['slowest filter, to the next frame', Math.max(...filters), 'ms', 50],
  ['DOM nodes', nodes, '', 3000],
]
for (const [name, value, unit, limit] of lines) {
  const passed = value <= limit
  if (!passed) process.exitCode = 1
  console.log(`${passed ? 'ok  ' : 'OVER'} ${runs} runs: ${name} ${value.toFixed(2)} ${unit} (at most ${limit})`)
}
console.log(
  `     evidence of a run on demand: ${evidence} texts; heap ${(heap / 1e6).toFixed(0)} MB; data ${(readFileSync(report).length / 1e6).toFixed(2)} MB`,
)
