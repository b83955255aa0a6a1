/** `view` finds the page to open; `view` and `aggregate` above benchmarks count no runs together and write where they may. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { folderOf, graded } from '../../store/foreign/folder.ts'
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
    ['the project', ['.']],
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
  test('an index of ours is written anew where index.json is gone', async () => {
    const cwd = project('a', 'b')
    writeFileSync(path.join(cwd, 'workspaces/index.html'), '<title>Skill benchmarks</title>')
    expect((await runMain(['view', 'workspaces', '--no-open'], { cwd })).code).toBe(0)
    expect(existsSync(path.join(cwd, 'workspaces/index.json'))).toBe(true)
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
  test('its dialect may lie beside the benchmark', async () => {
    const cwd = project('a')
    const end = await runMain(['aggregate', '.', '--to', 'agentskills', '-o', 'out'], { cwd })
    expect(end.code, end.stderr).toBe(0)
    expect(existsSync(path.join(cwd, 'out/benchmark.json'))).toBe(true)
  })
  test.each([
    ['workspaces', 'workspaces: contains several workspaces: a, b\n', 'workspaces/b'],
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
  test('a benchmark of ours among gradings of another tool is not counted with them', async () => {
    const cwd = fresh()
    cpSync(path.join(workspace, 'benchmarks', made[0] ?? ''), path.join(cwd, 'mine'), { recursive: true })
    for (const arm of ['with_skill', 'without_skill']) {
      mkdirSync(path.join(cwd, 'eval-9', arm), { recursive: true })
      writeFileSync(path.join(cwd, 'eval-9', arm, 'grading.json'), JSON.stringify(graded(1, 2, arm)))
    }
    const end = await runMain(['aggregate', '.'], { cwd })
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('is not a benchmark, and contains one: mine (')])
    expect(readdirSync(cwd).sort()).toEqual(['eval-9', 'mine'])
  })
  test('a plan.json of an agent or another tool is no benchmark of ours', async () => {
    const cwd = fresh()
    for (const arm of ['with_skill', 'without_skill']) {
      mkdirSync(path.join(cwd, 'eval-1', arm, 'outputs'), { recursive: true })
      writeFileSync(path.join(cwd, 'eval-1', arm, 'grading.json'), JSON.stringify(graded(1, 2, arm)))
      writeFileSync(path.join(cwd, 'eval-1', arm, 'plan.json'), '{"steps": ["read"]}')
      cpSync(
        path.join(workspace, 'benchmarks', made[0] ?? '', 'plan.json'),
        path.join(cwd, 'eval-1', arm, 'outputs/plan.json'),
      )
    }
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
  const folder = () => {
    const cwd = project('a')
    writeFileSync(path.join(cwd, newestOf('workspaces/a'), 'feedback.json'), '{')
    return { cwd }
  }
  test.each([['aggregate'], ['view', '--no-open']])(
    '%s says what is left out, above the numbers',
    async (command, ...more) => {
      const end = await runMain([command, 'workspaces/a', ...more], folder())
      expect(end.code).toBe(3)
      expect(end.stdout).toMatch(
        /^LEFT OUT: workspaces\/a\/benchmarks\/\S+\/feedback\.json: line 1:\d+: not valid JSON/m,
      )
    },
  )
  test('--json: not complete, and why', async () => {
    const end = await runMain(['aggregate', 'workspaces/a', '--json'], folder())
    expect(JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      exit_code: 3,
      complete: false,
      problems: [{ file: 'feedback.json', message: expect.stringContaining('not valid JSON') }],
    })
  })
  test('one that is whole keeps nothing from being complete', async () => {
    const at = folder()
    writeFileSync(path.join(at.cwd, newestOf('workspaces/a'), 'feedback.json'), '{"reviews": []}')
    const end = await runMain(['aggregate', 'workspaces/a', '--json'], at)
    const result = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
    expect([end.code, result.complete, 'problems' in result]).toEqual([0, true, false])
  })
})
