/** A page of more than 2,000 judged runs: the audit's sample and what each run was in the iteration before come when they are asked for. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { useBrowser, visit, withChromium } from '../browser.ts'

const judge = `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges/lenient.mjs')} bad wrong`
const statements = ['it is neat', 'it is bad']
/** In each arm. */
const runs = 1010
const caseFolder = 'eval-1-one'
const mostBytes = 1_500_000

/** A real benchmark of a run an arm, and each run again and again: what differs is the answer. */
function multiply(folder: string): void {
  const file = path.join(folder, 'plan.json')
  const plan = planSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  const specs = plan.runs.flatMap((spec) =>
    Array.from({ length: runs }, (_, at) => {
      const run_id = `${caseFolder}/${spec.configuration}/run-${at + 1}`
      return { ...spec, run_number: at + 1, run_id }
    }),
  )
  for (const { run_id, configuration } of specs) {
    const from = path.join(folder, caseFolder, configuration, 'run-1')
    const to = path.join(folder, run_id)
    if (from === to) continue
    mkdirSync(to)
    for (const name of readdirSync(from)) {
      if (name !== 'outputs') cpSync(path.join(from, name), path.join(to, name))
    }
    const record = JSON.parse(readFileSync(path.join(to, 'run.json'), 'utf8'))
    writeFileSync(path.join(to, 'run.json'), JSON.stringify({ ...record, final_response: `answer of ${run_id}` }))
  }
  writeFileSync(file, JSON.stringify({ ...plan, runs: specs, options: { ...plan.options, runs } }))
}

withChromium('a page of more than 2,000 judged runs', () => {
  const it = { folder: '', workspace: '' }
  const open = useBrowser()
  beforeAll(async () => {
    const skill = makeSkill([{ id: 1, name: 'one', prompt: 'one', expectations: statements }])
    it.workspace = path.join(fresh(), 'ws')
    const flags = ['--engine', agent('tidy.mjs'), '--judge', judge, '--runs', '1', '--sandbox', 'off', '--json']
    const end = await whetstone(['bench', skill, ...flags, '--workspace', it.workspace])
    expect(end.code, end.stderr).toBe(0)
    it.folder = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
    cpSync(it.folder, path.join(it.workspace, 'benchmarks/2020-01-15T10-30-00Z'), { recursive: true })
    const before = path.join(it.workspace, 'benchmarks/2020-01-15T10-30-00Z', caseFolder, 'with_skill')
    cpSync(path.join(before, 'run-1'), path.join(before, `run-${runs}`), { recursive: true })
    const record = JSON.parse(readFileSync(path.join(before, 'run-1/run.json'), 'utf8'))
    writeFileSync(path.join(before, `run-${runs}/run.json`), JSON.stringify({ ...record, final_response: 'as it was' }))
    multiply(it.folder)
    const viewed = await whetstone(['view', it.folder, '--no-open'])
    expect(viewed.code, viewed.stderr).toBe(0)
  }, 240_000)
  const report = () => path.join(it.folder, 'report.html')
  const opened = (hash: string) => open(`file://${report()}${hash}`)

  test('the sample lies beside the page, is that of `whetstone audit`, and opens into its runs', async () => {
    expect(statSync(report()).size).toBeLessThanOrEqual(mostBytes)
    expect(existsSync(path.join(it.folder, 'report.data/audit.js'))).toBe(true)
    const end = await whetstone(['audit', it.workspace, '--json'])
    const sample = end.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'decision')
    const { page, errors, requests } = await opened('')
    expect(requests.filter((url) => url.includes('audit.js'))).toEqual([])
    await visit(page, '#/audit')
    await page.locator('.decision').first().waitFor()
    await expect
      .poll(() => page.locator('#sample').textContent())
      .toContain(`0 of ${sample.length} decisions reviewed, from 4,040 in total`)
    const links = await page
      .locator('.decision a[href*="/run/"]:not([href*="tab="])')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(links).toEqual(
      sample
        .slice(0, links.length)
        .map(({ run_id }) => run_id.replace(/^eval-(\d+)-\w+\/(\w+)\/run-(\d+)$/, '#/run/$1/$2/$3')),
    )
    await page.locator('.decision').first().getByRole('button', { name: 'Disagree' }).click()
    await expect.poll(() => page.locator('#sample').textContent()).toContain(`1 of ${sample.length} decisions`)
    await visit(page, links[0] ?? '')
    await page.locator('.mark [aria-pressed=true]').first().waitFor()
    expect(errors).toEqual([])
  })
  test('a run whose file is gone says so, and waits for nothing', async () => {
    const { page } = await opened(`#/run/1/with_skill/${runs - 5}`)
    await page.locator('.verdicts').waitFor()
    const moved = path.join(fresh(), 'report.html')
    cpSync(report(), moved)
    await page.goto(`file://${moved}#/run/1/with_skill/${runs - 5}`)
    await page.getByText('is not next to this page').waitFor()
    await expect.poll(() => page.locator('#part').textContent()).toContain('The page does not carry this run.')
    await expect.poll(() => page.locator('main').textContent()).not.toContain('Reading…')
  })
  test('a run beside what it was in the iteration before; one that was not there has no such part', async () => {
    const { page, errors } = await opened(`#/run/1/with_skill/${runs}?tab=previous`)
    await page.getByText('as it was', { exact: true }).waitFor()
    await visit(page, `#/run/1/with_skill/${runs - 1}`)
    await page.locator('.verdicts').waitFor()
    await expect.poll(() => page.getByRole('tab', { name: 'Previous' }).count()).toBe(0)
    expect(errors).toEqual([])
  })
})
