/** What was measured beside a benchmark: triggers of a skill and of many, descriptions, comparisons, the trend. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type TriggerMatrix, triggerMatrix } from '../../../schemas/trigger_matrix.ts'
import { findReadRate, meanUnreadRate } from '../../../viewer/views/triggers/read_rates.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { descriptionFile, triggersFile } from '../artefacts.ts'
import { type Drawn, drawPages } from '../draw.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { matrixFile } from '../skill_matrix.ts'
import { type Staged, stage } from '../stage.ts'

const plain = (text: string) => text
const draw = drawPages()
let staged: Staged
beforeAll(async () => {
  staged = await stage({ benchmark, runs, files })
})

describe('triggers of a skill', () => {
  let at: Drawn
  beforeAll(async () => {
    at = await draw(staged, '#/triggers')
  })
  test('the newest; rates with intervals, each with what it is a rate of', () => {
    expect(at.text('h1')).toBe('3 of 6 queries behave as they should')
    const rates = ['78%', '75%', '33%', '60%'].map((rate) => expect.stringMatching(`^${rate}95% CI \\d+% to \\d+%$`))
    expect(at.texts('.figures .figure')).toEqual([...rates, '$0.14', '75%'])
    expect(at.texts('#rates + .figures .hint')).toEqual([
      'mean trigger rate of 3 queries that should trigger',
      'share of triggered runs that should trigger; 4 queries triggered',
      'mean trigger rate of 2 queries that should not trigger',
      'share of 5 queries that behave as they should',
    ])
  })
  test('each query: errors apart, what is wrong with its rate', () => {
    const rows = at.texts('.query-row summary')
    expect(rows[2]).toMatch(/^wrongsplit the invoiceshould trigger1\/3 95% CI \d+% to \d+%$/)
    expect(rows[4]).toContain('1 error2/2')
    expect(rows[5]).toContain('undecidedread this scan')
    expect(at.text('#confusions + .card')).toContain('should trigger, does not33%xlsx (2)')
    expect(at.links('#confusions + .card a')[0]).toEqual(['split the invoice', '#/triggers?id=3'])
  })
  test('an address opens the runs of a query, another shows those without an answer', async () => {
    const page = await draw(staged, '#/triggers?id=3')
    expect(page.all('.query-row details[open] .query-runs li')).toHaveLength(3)
    expect(page.text('.query-row details[open]')).toContain('by Skill at response 1')
    expect((await draw(staged, '#/triggers?show=open')).all('.query-row')).toHaveLength(2)
    expect((await draw(staged, '#/triggers?q=invoice')).all('.query-row')).toHaveLength(1)
    expect((await draw(staged, '#/triggers?id=6')).text('.query-row details[open]')).toContain(
      'rate_limited: 429: slow down',
    )
  })

  test('runs that failed or are missing are excluded from the rates, which is said', () => {
    expect(at.text('.banner')).toContain(
      'Of 18 planned runs 3 failed and 1 is missing: they are excluded from the rates',
    )
  })
  test.each<[string, object, RegExp]>([
    ['cost more', { saved_share: -0.25 }, /nothing.*they took 25% more than runs that did not trigger/],
    ['cost what others did', { saved_share: 0 }, /0%.*an estimate against runs that did not trigger/],
    ['are held against none', { saved_share: null, basis: 'none' }, /unknown.*without stopping is unknown/],
  ])('runs that were ended early and %s', async (_what, saving, said) => {
    const page = await draw(staged, '#/triggers', (all) => {
      const value = JSON.parse(triggersFile(plain))
      const changed = { ...value, saving: { ...value.saving, ...saving } }
      return { ...all, extras: { ...all.extras, triggers: { value: changed } } }
    })
    expect(page.text('#costs + .figures')).toMatch(said)
  })
})

/** The page that `view` writes of a workspace with this file alone. */
async function viewed(name: string, text: string): Promise<{ report: string }> {
  const workspace = path.join(fresh(), 'skills')
  mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true })
  writeFileSync(path.join(workspace, name), text)
  const end = await runMain(['view', workspace, '--json'])
  return { report: JSON.parse(end.stdout).page }
}

describe('triggers of many skills', () => {
  const matrix = triggerMatrix.parse(JSON.parse(matrixFile(plain)))
  /** A row per skill with queries: the read rate of every skill, and of none. */
  const gridOf = (of: TriggerMatrix) =>
    of.skills.map((skill) => [
      ...of.skills.map(({ name }) => findReadRate(of, skill, name)),
      meanUnreadRate(of.queries, skill.name),
    ])

  test('names the thief with its queries and runs, and shows rates, grid, close descriptions and cost', async () => {
    const page = await draw(await viewed('triggers/2026-01-15T11-00-00Z/trigger_matrix.json', matrixFile(plain)), '')
    expect(page.texts('header nav a')).toEqual(['Triggers'])
    expect(page.text('h1')).toBe('1 skill takes queries of other skills')
    expect(page.text('#thefts + .queries .query-row')).toContain(
      'pdf-forms takes queries of invoices1 query; adjusted p = 0.003',
    )
    const rows = page.texts('#skills + .card tbody tr')
    expect(rows[0]).toBe('invoices 2450% 9% to 91%100% 34% to 100%pdf-forms')
    expect(rows[2]).toContain('undecided')
    expect(rows[3]).toBe('spare only competes00')
    expect(page.texts('.read-grid tbody tr')).toEqual(['invoices50%50%', 'pdf-forms100%', 'release-notes100%'])
    expect(page.all('.read-grid td.own')).toHaveLength(3)
    expect(page.text('#overlaps + .card tbody')).toContain('0.62"fill in", invoice, fields')
    expect(page.texts('#matrix-costs + .figures .figure')).toEqual(['12 of 30', '$0.11'])
    expect(page.text('.banner')).toContain('Of 12 planned runs 1 failed')
  })
  test('the diagonal is the recall, other cells are the rates of the pairs', () => {
    expect(gridOf(matrix)).toEqual([
      [0.5, 0.5, 0, 0, 0],
      [0, 1, 0, 0, 0],
      [0, 0, 1, 0, 0],
      [null, null, null, null, null],
    ])
  })
  test('runs that read no skill have a column of their own, in which every query weighs the same', () => {
    const [one, two, ...others] = matrix.queries
    if (one === undefined || two === undefined) throw new Error('none')
    const half = { ...one, runs: 4, reads: [{ skill: null, runs: 1 }] }
    expect(meanUnreadRate([half, { ...two, reads: [{ skill: null, runs: 2 }] }, ...others], 'invoices')).toBe(0.625)
    // a query without an answer is in no rate
    expect(meanUnreadRate([half, { ...two, runs: 0, reads: [] }], 'invoices')).toBe(0.25)
  })
})

test('a search for a description stands alone, in a page without the views of a benchmark', async () => {
  const report = await viewed('descriptions/2026-01-15T11-00-00Z/description.json', descriptionFile(plain))
  const page = await draw(report, '')
  expect(page.texts('header nav a')).toEqual(['Triggers'])
  expect(page.all('input[type=search]')).toEqual([])
  expect(page.all('.version')).toHaveLength(3)
  for (const part of ['accepted', 'Round 2', 'refused', '+25', 'p = 0.012']) expect(page.text()).toContain(part)
  for (const hash of ['#/runs', '#/case/1', '#/overview']) {
    expect((await draw(report, hash)).text()).toContain('This page does not have this view')
  }
})

test('a report of another is not overwritten, ours is; a folder with nothing measured in it is refused', async () => {
  const { report } = await viewed('descriptions/2026-01-15T11-00-00Z/description.json', descriptionFile(plain))
  const workspace = path.dirname(report)
  const again = async () => JSON.parse((await runMain(['view', workspace, '--json'])).stdout).page
  expect([path.basename(report), await again()]).toEqual(['report.html', report])
  writeFileSync(report, 'mine')
  expect(await again()).toBe(path.join(workspace, 'whetstone-report.html'))
  expect(readFileSync(report, 'utf8')).toBe('mine')
  const empty = fresh()
  mkdirSync(path.join(empty, 'triggers/2999-01-01T00-00-00Z'), { recursive: true })
  const refused = await runMain(['view', empty, '--no-open'])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/no graded run/)])
  expect(existsSync(path.join(empty, 'report.html'))).toBe(false)
})

test('compare: verdict, both orders and scores before the key, which says who was who', async () => {
  const page = await draw(staged, '#/compare')
  expect(page.text('.pair-of-outputs > summary')).toBe('A is better Case 1 · case-1 run 1')
  const [orders = '', scores = ''] = page.texts('.pair-of-outputs table')
  expect(orders).toContain('BA7.55.5A adds upAA7.55.5')
  expect(scores).toContain('correctness the sums are right5.03.0')
  expect(scores).toContain('overall, 2 to 107.55.5')
  expect(page.text('.key')).toMatch(/A is with skill.*B is without skill/)
  expect(page.one('.key').getAttribute('open')).toBeNull()
  expect(page.links('.key a')[0]).toEqual(['with skill', '#/run/1/with_skill/1'])
  expect(page.text()).toContain('Say how pages are counted')
})

test('trend: points with intervals and costs, the newest first; unknown is no zero', async () => {
  const page = await draw(staged, '#/trend')
  expect(page.texts('.trend tbody tr').map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
    expect.stringContaining('2026-01-15 10:00 +30[20, 40]70%40%15151515 claude-sonnet-4-5'),
    expect.stringContaining('2026-01-14 10:00'),
  ])
  expect(page.text('#months + .card tbody tr')).toBe('2026-012$1.20––0')
})

describe('a round or a point leads to the page of its benchmark, where that lies beside this one', () => {
  const before = '../2026-01-14T10-00-00Z/report.html'
  test.each([
    ['round', '2026-01-14T10-00-00Z', '.round dt a'],
    ['certification', '2026-01-15T09-00-00Z', 'h2 a'],
    ['confirmation', '2026-01-15T10-00-00Z', 'th a'],
  ])('%s', async (_what, name, selector) => {
    const one = await stage({ benchmark, files: { ...files, [`../${name}/report.html`]: 'there' } })
    expect((await draw(one, '#/improve')).links(selector).map(([, href]) => href)).toEqual([`../${name}/report.html`])
  })
  test('a point of the trend', async () => {
    const trend = files['../../trend.json'].replace('benchmarks/2026-01-14', 'ws/benchmarks/2026-01-14T10-00-00Z')
    const one = await stage({ benchmark, files: { ...files, '../../trend.json': trend, [before]: 'there' } })
    expect((await draw(one, '#/trend')).links('.trend a')[0]?.[1]).toBe(before)
  })
  test('negative control: nowhere where none lies there', async () => {
    expect((await draw(staged, '#/improve')).all('.round dt a, h2 a')).toEqual([])
    expect((await draw(staged, '#/trend')).all('.trend a')).toEqual([])
  })
})
