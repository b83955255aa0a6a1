/** `whetstone view` finds the page to open: ours, the newest of a workspace, an index, or that of another tool's folder. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { folderOf, graded } from '../../store/foreign/folder.ts'
import { pageIn } from '../../viewer/unpack.ts'
import { agent, fresh, makeSkill } from '../program.ts'

const workspace = path.join(fresh(), 'ws')
const cases = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]
const benched: { folder: string } = { folder: '' }

beforeAll(async () => {
  const args = ['bench', makeSkill(cases), '--engine', agent('verbose.mjs'), '--workspace', workspace, '--json']
  for (const more of [[], ['--fresh']]) {
    const end = await runMain([...args, '--runs', '1', ...more])
    expect(end.code, end.stderr).toBe(0)
    benched.folder = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
  }
})

const pageOf = (stdout: string) => /^page (.+)$/m.exec(stdout)?.[1]

test('the newest benchmark of a workspace; its page is written anew', async () => {
  const report = path.join(benched.folder, 'report.html')
  rmSync(report)
  const end = await runMain(['view', workspace, '--no-open'], { cwd: path.dirname(workspace) })
  expect(end.code, end.stderr).toBe(0)
  expect(pageOf(end.stdout)).toBe(path.relative(path.dirname(workspace), report))
  expect(readFileSync(report, 'utf8')).toContain('<!doctype html>')
})

test('--static leaves a copy to publish', async () => {
  const site = path.join(fresh(), 'site')
  const end = await runMain(['view', benched.folder, '--static', site, '--json'])
  expect(end.code, end.stderr).toBe(0)
  const page = path.join(site, 'index.html')
  expect(JSON.parse(end.stdout.split('\n').find((line) => line.includes('"page"')) ?? '')).toEqual({
    type: 'page',
    page,
  })
  expect(readFileSync(page, 'utf8')).toBe(readFileSync(path.join(benched.folder, 'report.html'), 'utf8'))
})

test('--static of an index leaves a copy of every page that it leads to, with their data', async () => {
  const [root, site] = [fresh(), path.join(fresh(), 'site')]
  const names = ['one (of two)', 'two']
  for (const name of names) cpSync(workspace, path.join(root, name), { recursive: true })
  const newest = `benchmarks/${path.basename(benched.folder)}/report.html`
  const data = 'report.data/run-x.js'
  const beside = path.join(root, 'two', path.dirname(newest), data)
  mkdirSync(path.dirname(beside))
  writeFileSync(beside, '1')
  const end = await runMain(['view', root, '--static', site, '--json'])
  expect(end.code, end.stderr).toBe(0)
  const index = readFileSync(path.join(site, 'index.html'), 'utf8')
  const pages = new Set([...index.matchAll(/href="([^"#]+)/g)].map(([, address = '']) => decodeURIComponent(address)))
  expect([...pages].sort()).toEqual(names.map((name) => `${name}/${newest}`))
  for (const page of pages) {
    expect(readFileSync(path.join(site, page), 'utf8')).toBe(readFileSync(path.join(root, page), 'utf8'))
  }
  expect(readFileSync(path.join(site, 'two', path.dirname(newest), data), 'utf8')).toBe('1')
})
test('--static into what is no folder is refused, named', async () => {
  const file = path.join(fresh(), 'file')
  writeFileSync(file, '')
  const end = await runMain(['view', benched.folder, '--static', file])
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining(`--static ${file}: EEXIST`)])
})

describe("another tool's folder", () => {
  const [a, b] = [graded(2, 2, 'a'), graded(1, 2, 'b')]
  test.each<[string, Record<string, unknown>]>([
    ['flat', { 'eval-1/with_skill/grading.json': a, 'eval-1/without_skill/grading.json': b }],
    ['in run folders', { 'eval-1/with_skill/run-1/grading.json': a, 'eval-1/without_skill/run-1/grading.json': b }],
    ['both arms in one file', { 'eval-1/grading.json': { with_skill: a.expectations, without_skill: b.expectations } }],
  ])('%s', async (_what, files) => {
    const folder = folderOf(files)
    const end = await runMain(['view', folder, '--no-open'], { cwd: folder })
    expect(end.code, end.stderr).toBe(0)
    const { runs, arms } = pageIn(readFileSync(path.join(folder, pageOf(end.stdout) ?? ''), 'utf8'))
    expect(arms).toEqual(['with_skill', 'without_skill'])
    expect([runs.passed, runs.total]).toEqual([
      [2, 1],
      [2, 2],
    ])
  })
  test('its own report is not touched, and ours lies beside it', async () => {
    const theirs = {
      'eval-1/with_skill/grading.json': a,
      'eval-1/without_skill/grading.json': b,
      'report.html': 'mine',
    }
    const folder = folderOf(theirs)
    const own = readFileSync(path.join(folder, 'report.html'), 'utf8')
    const end = await runMain(['view', folder, '--no-open'], { cwd: folder })
    expect(pageOf(end.stdout)).toBe('whetstone-report.html')
    expect(readFileSync(path.join(folder, 'report.html'), 'utf8')).toBe(own)
  })
})

test.each<[string, string, RegExp]>([
  ['a folder with nothing in it', fresh(), /^error: .*\n/],
  ['no folder', path.join(fresh(), 'none'), /no such folder/],
])('%s ends with 2 and makes nothing', async (_what, folder, message) => {
  const end = await runMain(['view', folder, '--no-open'])
  expect(end.code).toBe(2)
  expect(end.stderr).toMatch(message)
  expect(existsSync(path.join(folder, 'report.html'))).toBe(false)
})
