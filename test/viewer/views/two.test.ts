/** `view --compare A B`: what is refused, that neither of the two is written to, and what the page says of them. */
import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { drawPages } from '../draw.ts'
import { foreign } from '../foreign.ts'

const draw = drawPages()
const cwd = fresh()
const compare = (...args: string[]) => runMain(['view', '--compare', ...args, '--json'], { cwd })
async function pageOf(a: string, b: string, ...flags: string[]): Promise<{ report: string }> {
  const end = await compare(a, b, ...flags)
  expect(end.code, end.stderr).toBe(0)
  return { report: JSON.parse(end.stdout).page }
}

test.each<[(one: string, other: string) => string[], RegExp]>([
  [(one) => [one, one], /are the same benchmark/],
  [(one) => [one], /needs two benchmarks/],
  [(one, other) => [one, other, one], /needs two benchmarks/],
  [(one) => [one, 'nowhere'], /no such folder "nowhere"/],
  [(one, other) => [one, other, '--serve'], /--compare with --serve/],
])('%s is refused', async (args, message) => {
  const end = await compare(...args(foreign(), foreign()))
  expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(message)])
})
test('a remark is of the two that are compared', async () => {
  const page = await draw(await pageOf(foreign(true), foreign(true)), '#/case/1')
  expect(page.texts('.matrix .tag').at(-1)).toBe('B with skill and A with skill: passes in every run')
})
test('without a case in common there is no difference', async () => {
  const other = foreign()
  renameSync(path.join(other, 'first'), path.join(other, 'second'))
  const page = await draw(await pageOf(foreign(true), other), '#/')
  expect(page.texts('.arms [data-column=difference]')).toContain('–')
  expect((await draw(await pageOf(foreign(), foreign(true)), '#/')).text('h1')).toContain(': +100 points')
})

async function bench(name: string, cases: readonly string[], engine: string): Promise<string> {
  const checks = [{ type: 'contains', value: 'TIDY' }]
  const skill = makeSkill(cases.map((one, at) => ({ id: at + 1, name: one, prompt: `the ${one} task`, checks })))
  const args = ['bench', skill, '--engine', engine, '--runs', '4', '--workspace', name, '--json']
  const end = await runMain(args, { cwd })
  expect(end.code, end.stderr).toBe(0)
  return JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
}

/** Every file below with its size and time. */
function stateOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return names.map((name) => {
    const { mtimeMs, size } = statSync(path.join(folder, name))
    return `${name} ${mtimeMs} ${size}`
  })
}

describe('benchmarks of ours', () => {
  const it = { a: '', b: '', report: '' }
  const drawn = (hash: string) => draw(it, hash)
  beforeAll(async () => {
    it.a = await bench('old', ['first', 'second'], tidyAgent)
    it.b = await bench('new', ['first', 'second', 'third'], 'command:echo nothing')
    const ownCase = readdirSync(it.a).find((name) => name.startsWith('eval-1')) ?? ''
    const said = { [`${ownCase}-with_skill-run-2`]: 'the old one was better', [ownCase]: 'hard for the old one' }
    const reviews = Object.entries(said).map(([run_id, feedback]) => ({ run_id, feedback, timestamp: '' }))
    writeFileSync(path.join(it.a, 'feedback.json'), JSON.stringify({ reviews, status: 'complete' }))
    const before = [stateOf(it.a), stateOf(it.b)]
    it.report = (await pageOf('old', 'new')).report
    // neither of the two is touched
    expect([stateOf(it.a), stateOf(it.b)]).toEqual(before)
  })

  test('the page is written where the user is', () => {
    const name = `${path.basename(it.a)}-vs-${path.basename(it.b)}`
    expect(it.report).toBe(path.join(cwd, 'comparisons', name, 'report.html'))
  })
  test('what differs in the plans comes first, then the verdict, what changed, every case', async () => {
    const page = await drawn('#/')
    expect(page.text('h1')).toMatch(/^B against A: Worse: -100 points, 95% CI /)
    expect(page.texts('main h2')[0]).toBe('Differences in setup')
    expect(page.texts('.differs')).toContain('echo nothing')
    expect(page.text('section[aria-labelledby=turned]')).toMatch(/Significant changes 2 expectations.*1 only in B/s)
    expect(page.text('#cases')).toBe('Cases 3')
    expect((await drawn('#/case/3')).text('.banner')).toContain('A with skill: no run')
  })
  test('a case: runs of both side by side, with the notes on them and on their case, each of its own benchmark', async () => {
    const page = await drawn('#/case/1?as=diff')
    const heads = page.texts('.matrix thead th').slice(2)
    expect(heads).toEqual(['B with skill', 'A with skill', 'B without skill', 'A without skill'])
    expect([page.texts('.diff .gone')[0], page.texts('.diff .new')[0]]).toEqual([
      expect.stringContaining('TIDY'),
      expect.stringContaining('nothing'),
    ])
    expect(page.texts('.pair')[0]).toBe('notesnote on the case hard for the old oneno note')
    const options = page.all('.choose option')
    const addressOf = (name: string) =>
      `#/case/1?a=${options.find(({ textContent }) => textContent === name)?.getAttribute('value')}`
    const noted = await drawn(addressOf('A with skill, run 2'))
    expect(noted.texts('.pair blockquote')).toEqual([
      'note on the run the old one was better',
      'note on the case hard for the old one',
    ])
    expect((await drawn(addressOf('B without skill, run 1'))).all('.pair blockquote, .notebox')).toEqual([])
  })
  test('a run shows its own verdicts and the note of its benchmark; none is written here', async () => {
    const page = await drawn('#/run/1/A_with_skill/2')
    expect(page.all('.verdicts .pass').length).toBeGreaterThan(0)
    expect(page.text('blockquote')).toBe('the old one was better')
    expect(page.all('textarea')).toEqual([])
    const other = await drawn('#/run/1/B_with_skill/2')
    expect(other.all('.verdicts .fail').length).toBeGreaterThan(0)
    expect(other.all('blockquote')).toEqual([])
  })
  test("another tool's folder beside one of ours; a copy to publish", async () => {
    const folder = foreign()
    const before = stateOf(folder)
    await pageOf(folder, it.a, '--static', 'site')
    expect(stateOf(folder)).toEqual(before)
    const page = await draw({ report: path.join(cwd, 'site', 'index.html') }, '#/case/1')
    expect(page.text('.case-sum')).toMatch(/B with skill 100%.*A with skill 0%/s)
    expect(page.text()).toContain('by another tool')
  })
})
