// Draws the pictures of README and docs anew: a demo benchmark, its page in Chromium. Look at them before they are committed.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'

const root = path.dirname(import.meta.dirname)
const images = path.join(root, 'docs/images')
const largest = 150_000
const cwd = mkdtempSync(path.join(tmpdir(), 'pictures-'))
process.on('exit', () => rmSync(cwd, { recursive: true, force: true }))

const whetstone = (...args) =>
  execFileSync(process.execPath, [path.join(root, 'dist/program/bin.js'), ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
/** A demo; gives its benchmark. */
function demo(name, ...more) {
  whetstone('demo', '--runs', '3', '--workspace', name, ...more)
  const [made] = readdirSync(path.join(cwd, name, 'benchmarks'))
  return path.join(cwd, name, 'benchmarks', made)
}

const good = demo('good')
// the skill as it would be with a script that is not there
const skill = path.join(cwd, 'invoice-totals')
cpSync(path.join(root, 'workspaces/example/invoice-totals'), skill, { recursive: true })
const file = path.join(skill, 'SKILL.md')
writeFileSync(file, readFileSync(file, 'utf8').replaceAll('scripts/total.mjs', 'scripts/gone.mjs'))
const broken = demo('broken', '--skill', skill)
const two = path.resolve(cwd, JSON.parse(whetstone('view', '--compare', broken, good, '--json')).page)

const pictures = [
  { name: 'viewer-overview', page: path.join(good, 'report.html'), hash: '', theme: 'light' },
  { name: 'viewer-dark', page: path.join(good, 'report.html'), hash: '', theme: 'dark' },
  { name: 'viewer-case', page: path.join(good, 'report.html'), hash: '#/case/1?as=diff', theme: 'light' },
  { name: 'viewer-run', page: path.join(good, 'report.html'), hash: '#/run/1/with_skill/1', theme: 'light' },
  { name: 'viewer-compare', page: two, hash: '', theme: 'light' },
  { name: 'viewer-phone', page: path.join(good, 'report.html'), hash: '', theme: 'light', width: 390 },
]
const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((one) => existsSync(one))
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
for (const { name, page: report, hash, theme, width = 1200 } of pictures) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: theme })
  await page.goto(`file://${report}${hash}`)
  await page.waitForSelector('html[data-ready]')
  await page.waitForTimeout(500)
  const target = path.join(images, `${name}.png`)
  await page.screenshot({ path: target })
  await page.close()
  const { size } = statSync(target)
  console.log(`${name}.png ${(size / 1000).toFixed(0)} kB`)
  if (size > largest) process.exitCode = 1
}
await browser.close()
