/** `view` finds the page to open; `view` and `aggregate` above benchmarks count no runs together and write where they may. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { folderOf, graded } from '../../store/folder_of.ts'
import { pageIn } from '../../viewer/unpack.ts'
import { fresh, makeSkill } from '../program.ts'

const workspace = path.join(fresh(), 'ws')
const cases = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]
const benched: { folder: string } = { folder: '' }
/** The names of its two benchmarks, oldest first. */
const made: string[] = []

beforeAll(async () => {
  const place = ['--workspace', workspace, '--sandbox', 'off']
  const args = ['bench', makeSkill(cases), '--engine', tidyAgent, '--runs', '1', ...place, '--json']
  for (const more of [[], ['--fresh']]) {
    const end = await runMain([...args, ...more])
    expect(end.code, end.stderr).toBe(0)
    benched.folder = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
    made.push(path.basename(benched.folder))
  }
})

/** Gradings of another tool. */
const theirs = {
  'eval-1/with_skill/grading.json': graded(2, 2, 'a'),
  'eval-1/without_skill/grading.json': graded(1, 2, 'b'),
}

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
  expect(end.stdout).toContain(JSON.stringify({ type: 'page', page }))
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

test("another tool's folder: its own report is not touched, and ours lies beside it", async () => {
  const folder = folderOf({ ...theirs, 'report.html': 'mine' })
  const own = readFileSync(path.join(folder, 'report.html'), 'utf8')
  const end = await runMain(['view', folder, '--no-open'], { cwd: folder })
  expect([end.code, pageOf(end.stdout)], end.stderr).toEqual([0, 'whetstone-report.html'])
  const { runs, arms } = pageIn(readFileSync(path.join(folder, 'whetstone-report.html'), 'utf8'))
  expect([arms, runs.passed, runs.total]).toEqual([
    ['with_skill', 'without_skill'],
    [2, 1],
    [2, 2],
  ])
  expect(readFileSync(path.join(folder, 'report.html'), 'utf8')).toBe(own)
})

test('a folder with nothing in it ends with 2 and makes nothing', async () => {
  const folder = fresh()
  expect(await runMain(['view', folder, '--no-open'])).toMatchObject({ code: 2 })
  expect(readdirSync(folder)).toEqual([])
})

/** A project with a workspace of each of these skills. */
function project(...skills: string[]): string {
  const folder = fresh()
  writeFileSync(path.join(folder, 'README.md'), 'mine')
  for (const skill of skills) cpSync(workspace, path.join(folder, 'workspaces', skill), { recursive: true })
  return folder
}

const newestOf = (place: string) => `${place}/benchmarks/${made.at(-1)}`

describe('view of a folder above benchmarks', () => {
  test.each([
    ['the project, whose folder is the default', []],
    ['its workspaces', ['workspaces']],
  ])('%s: the index of the workspaces', async (_what, place) => {
    const cwd = project('a', 'b')
    const end = await runMain(['view', ...place, '--no-open'], { cwd })
    expect([end.code, end.stdout, end.stderr]).toEqual([0, 'page workspaces/index.html\n', ''])
    expect(readdirSync(cwd).sort()).toEqual(['README.md', 'workspaces'])
  })
  test('the project with one workspace: its newest benchmark, and which that is', async () => {
    const cwd = project('a')
    const end = await runMain(['view', '.', '--no-open'], { cwd })
    expect([end.code, pageOf(end.stdout)]).toEqual([0, `${newestOf('workspaces/a')}/report.html`])
    expect(end.stdout).toContain(`the newest of .: ${newestOf('workspaces/a')}\n`)
    expect(readdirSync(cwd).sort()).toEqual(['README.md', 'workspaces'])
  })
  test('--trend of the project is written among the workspaces', async () => {
    const cwd = project('a', 'b')
    const end = await runMain(['view', '.', '--trend', '--no-open'], { cwd })
    expect([end.code, pageOf(end.stdout)]).toEqual([0, 'workspaces/trend.html'])
    expect(readdirSync(cwd).sort()).toEqual(['README.md', 'workspaces'])
  })
  test.each(['index.html', 'index.md', 'index.json'])('an %s that is not ours stays', async (name) => {
    const cwd = fresh()
    cpSync(workspace, path.join(cwd, 'ws'), { recursive: true })
    writeFileSync(path.join(cwd, name), '<title>My site</title>')
    const end = await runMain(['view', '.', '--no-open'], { cwd })
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining(`${name} exists and is not from Whetstone`)])
    expect(readdirSync(cwd).sort()).toEqual([name, 'ws'])
  })
})

describe('aggregate of a folder above benchmarks', () => {
  test('a workspace: its newest benchmark, and which that is', async () => {
    const cwd = project('a')
    const end = await runMain(['aggregate', 'workspaces/a'], { cwd })
    expect(end.code, end.stderr).toBe(0)
    expect(end.stdout).toContain(`the newest of workspaces/a: ${newestOf('workspaces/a')}\n`)
    expect(end.stdout).not.toContain('here twice')
    expect(readdirSync(path.join(cwd, 'workspaces/a'))).toEqual(readdirSync(workspace))
  })
  test.each([
    ['.', 'contains several workspaces: a, b\n', 'workspaces/b'],
    ['workspaces/a/benchmarks', 'contains several benchmarks: {0}, {1} (', 'workspaces/a/benchmarks/{1}'],
  ])('%s: refused, with what to name', async (place, said, fix) => {
    const cwd = project('a', 'b')
    const filled = (text: string) => text.replace('{0}', made[0] ?? '').replace('{1}', made[1] ?? '')
    const end = await runMain(['aggregate', place], { cwd })
    expect(end.code).toBe(2)
    expect(end.stderr).toContain(filled(said))
    expect(end.stderr).toMatch(new RegExp(`pass one, such as .*${filled(fix)}\n`))
    expect(readdirSync(cwd).sort()).toEqual(['README.md', 'workspaces'])
    expect(readdirSync(path.join(cwd, 'workspaces')).sort()).toEqual(['a', 'b'])
    expect(readdirSync(path.join(cwd, 'workspaces/a/benchmarks')).sort()).toEqual(made)
  })
  const first = () => path.join(workspace, 'benchmarks', made[0] ?? '')
  test('a benchmark of ours among gradings of another tool is not counted with them', async () => {
    const cwd = folderOf(theirs)
    cpSync(first(), path.join(cwd, 'mine'), { recursive: true })
    const end = await runMain(['aggregate', '.'], { cwd })
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('is not a benchmark, and contains one: mine (')])
    expect(readdirSync(cwd).sort()).toEqual(['eval-1', 'mine'])
  })
  test('a plan.json of an agent or another tool is no benchmark of ours', async () => {
    const cwd = folderOf({ ...theirs, 'eval-1/with_skill/plan.json': { steps: ['read'] } })
    cpSync(path.join(first(), 'plan.json'), path.join(cwd, 'eval-1/without_skill/outputs/plan.json'))
    const end = await runMain(['aggregate', '.'], { cwd })
    expect(end.code, end.stderr).toBe(0)
  })
})

test('a workspace of one skill on several engines is shown by its index, and its workspaces are named', async () => {
  const cwd = fresh()
  for (const engine of ['one', 'two']) cpSync(workspace, path.join(cwd, 'workspaces/a', engine), { recursive: true })
  const end = await runMain(['view', '.', '--no-open'], { cwd })
  expect([end.code, end.stderr]).toEqual([
    2,
    expect.stringContaining('contains several workspaces: workspaces/a/one, workspaces/a/two ('),
  ])
  expect(readdirSync(cwd)).toEqual(['workspaces'])
  expect((await runMain(['view', 'workspaces/a', '--no-open'], { cwd })).code).toBe(0)
  const again = await runMain(['view', '.', '--no-open'], { cwd })
  expect([again.code, pageOf(again.stdout)]).toEqual([0, 'workspaces/a/index.html'])
})

describe('a feedback.json that can not be read', () => {
  const aggregated = async (text: string, ...flags: string[]) => {
    const cwd = project('a')
    writeFileSync(path.join(cwd, newestOf('workspaces/a'), 'feedback.json'), text)
    const end = await runMain(['aggregate', 'workspaces/a', ...flags], { cwd })
    return { ...end, last: end.stdout.trim().split('\n').at(-1) ?? '' }
  }
  test('is said to be left out, above the numbers', async () => {
    const { code, stdout } = await aggregated('{')
    expect(code).toBe(3)
    expect(stdout).toMatch(/^LEFT OUT: workspaces\/a\/benchmarks\/\S+\/feedback\.json: line 1:\d+: not valid JSON/m)
  })
  test('--json: not complete, and why; control: one that is whole', async () => {
    expect(JSON.parse((await aggregated('{', '--json')).last)).toMatchObject({
      exit_code: 3,
      complete: false,
      problems: [{ file: 'feedback.json', message: expect.stringContaining('not valid JSON') }],
    })
    const { code, last } = await aggregated('{"reviews": []}', '--json')
    expect([code, JSON.parse(last).complete, 'problems' in JSON.parse(last)]).toEqual([0, true, false])
  })
})

const mounts: string[] = []
afterAll(() => {
  for (const folder of mounts) spawnSync('umount', ['-l', folder])
})

/** The folder itself, mounted so that nothing can be written; null where that is not allowed. */
function readOnly(folder: string): string | null {
  if (spawnSync('mount', ['--bind', folder, folder]).status !== 0) return null
  mounts.push(folder)
  return spawnSync('mount', ['-o', 'remount,ro,bind', folder]).status === 0 ? folder : null
}

const locked = readOnly(folderOf(theirs))
needs(
  'a mount that is read-only',
  locked !== null,
  'run as root, where mount is allowed',
)('a folder to read only', () => {
  test.each(['aggregate', 'view'])('%s advises what there is', async (command) => {
    const end = await runMain([command, locked ?? '', ...(command === 'view' ? ['--no-open'] : [])])
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/reports can't be written there[\s\S]*\nhint: copy the folder/)
    expect(end.stderr).not.toContain('--workspace')
  })
})
