/** The audit tab in a real browser, from the disk and served: what is marked reaches audit_log.jsonl by the same way as at the terminal. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuditLine, auditLine } from '../../../schemas/audit.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { launch, open, texts, withChromium } from '../browser.ts'
import { type Asked, ask, type ServedPage, startServed } from '../serve/served.ts'

const judge = `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges/lenient.mjs')} bad wrong`
const statements = ['it is neat', 'it is whole', 'it is bad', 'it is wrong']
const evals = ['one', 'two'].map((name, index) => ({ id: index + 1, name, prompt: name, expectations: statements }))

interface Place {
  workspace: string
  folder: string
  log: string
  lines(): AuditLine[]
}

function placeAt(workspace: string): Place {
  const log = path.join(workspace, 'audit_log.jsonl')
  const folder = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const lines = () =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => auditLine.parse(JSON.parse(line)))
      : []
  return { workspace, folder, log, lines }
}

withChromium('the audit tab', () => {
  const it: { browser?: Browser; original: string; served?: ServedPage & { place: Place } } = { original: '' }
  beforeAll(async () => {
    const skill = makeSkill(evals)
    it.original = path.join(fresh(), 'ws')
    const flags = ['--engine', agent('tidy.mjs'), '--judge', judge, '--runs', '2', '--sandbox', 'off']
    const end = await whetstone(['bench', skill, ...flags, '--workspace', it.original])
    expect(end.code, end.stderr).toBe(0)
    const place = copied()
    it.served = { ...(await startServed(place.folder)), place }
    it.browser = await launch()
  })
  afterAll(async () => {
    await it.browser?.close()
    it.served?.stop()
  })
  const copied = () => {
    const workspace = path.join(fresh(), 'ws')
    cpSync(it.original, workspace, { recursive: true })
    return placeAt(workspace)
  }
  const opened = (url: string, options = {}) => {
    if (it.browser === undefined) throw new Error('no browser')
    return open(it.browser, url, options)
  }
  const served = () => {
    if (it.served === undefined) throw new Error('not served')
    return it.served
  }
  const decisions = async (workspace: string, ...flags: string[]): Promise<{ id: string; run_id: string }[]> => {
    const end = await whetstone(['audit', workspace, '--json', ...flags])
    const all = end.stdout.trim().split('\n')
    return all.map((line) => JSON.parse(line)).filter(({ type }) => type === 'decision')
  }
  const downloaded = async (page: Page) => {
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Download \d+ mark/ }).click()
    const file = path.join(fresh(), 'audit_lines.jsonl')
    await (await waiting).saveAs(file)
    return file
  }

  test('shows the sample of `whetstone audit`, each with verdict, evidence, answer and task', async () => {
    const { workspace, folder } = copied()
    const { page, errors } = await opened(`file://${folder}/report.html#/audit`)
    const sample = await decisions(workspace)
    const links = await page
      .locator('.decision a[href*="/run/"]:not([href*="tab="])')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(links).toEqual(
      sample.map(({ run_id }) => run_id.replace(/^eval-(\d+)-\w+\/(\w+)\/run-(\d+)$/, '#/run/$1/$2/$3')),
    )
    await expect.poll(() => page.locator('h1').textContent()).toContain('No reviews yet')
    const first = await page.locator('.decision').first().textContent()
    for (const part of ['The judge says', 'as far as can be seen', 'The answer', 'The task'])
      expect(first).toContain(part)
    expect(errors).toEqual([])
  })

  test('from a file: what is marked by key and on a run is downloaded, imported once, and then in the figures', async () => {
    const { workspace, folder, lines } = copied()
    const { page } = await opened(`file://${folder}/report.html#/audit`)
    await page.keyboard.press('j')
    await page.keyboard.press('n')
    await page.keyboard.press('j')
    await page.keyboard.press('y')
    await page.keyboard.press('j')
    await page.keyboard.press('y')
    await page.keyboard.press('x')
    await expect
      .poll(() => page.locator('#sample').textContent())
      .toContain('2 of 4 decisions reviewed, from 16 distinct ones (32 in total)')
    await page.reload()
    await page.evaluate('location.hash = "#/run/1/with_skill/2"')
    const group = page.getByRole('group', { name: 'Do you agree?' })
    await group.first().waitFor()
    const before = await page.locator('.mark [aria-pressed=true]').count()
    await group
      .nth(before === 0 ? 0 : 3)
      .getByRole('button', { name: 'Disagree' })
      .click()
    const file = await downloaded(page)
    expect(lines()).toEqual([])
    const end = await whetstone(['audit', workspace, '--import', file])
    expect([end.code, end.stderr]).toEqual([0, ''])
    expect(lines()).toHaveLength(3)
    expect(lines()).toContainEqual(
      expect.objectContaining({ benchmark: path.relative(workspace, folder), judge_passed: expect.any(Boolean) }),
    )
    await whetstone(['audit', workspace, '--import', file])
    expect(lines()).toHaveLength(3)
    const again = await opened(`file://${folder}/report.html#/audit`)
    await expect.poll(() => again.page.locator('h1').textContent()).toContain('of 3 decisions, 95% CI')
    await expect.poll(() => again.page.locator('.banner').textContent()).toContain('too small to confirm')
    for (const part of ['People agree with the judge on', 'κ', 'sensitivity', 'specificity']) {
      await expect.poll(() => again.page.locator('main').textContent()).toContain(part)
    }
    await again.page.getByLabel('Show').selectOption('said')
    await expect.poll(() => again.page.locator('.decision').count()).toBe(2)
    expect(new URL(again.page.url()).hash).toContain('show=said')
  })

  test('the figures are those of benchmark.json: both kinds of error, the rates of the arms corrected', async () => {
    const { workspace, folder } = copied()
    const all = await decisions(workspace, '--sample', '100')
    await whetstone([
      'audit',
      workspace,
      ...all.map(({ id }, index) => `--label=${id}=${index % 5 ? 'agree' : 'disagree'}`),
    ])
    const { audit } = JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8'))
    const { page } = await opened(`file://${folder}/report.html#/audit`)
    const percent = (rate: number) => `${Math.round(rate * 100)}%`
    const cells = await texts(page.locator('.plain').nth(0).locator('td'))
    const { both_met, only_judge, only_person, neither } = audit.table
    expect(cells.filter(Boolean).map(Number)).toEqual([both_met, only_judge, only_person, neither])
    const figures = (await texts(page.locator('.figures .figure'))).map((text) => text.trim())
    for (const [place, name] of [
      [1, 'sensitivity'],
      [2, 'specificity'],
    ] as const) {
      const { rate, ci_low, ci_high } = audit[name]
      expect(figures[place]).toBe(`${percent(rate)}95% CI ${percent(ci_low)} to ${percent(ci_high)}`)
    }
    expect(figures[0]).toMatch(new RegExp(`^${audit.kappa.toFixed(2)}`))
    // agreement is in the headline alone
    expect(await page.locator('h1').textContent()).toContain(`on ${percent(audit.agreement.rate)} of`)
    const { judged, rate, n } = audit.corrected.with_skill
    const row = await texts(page.locator('.plain').nth(1).locator('tbody tr').first().locator('th, td'))
    expect([row[0], row[1], row[2], row[4]]).toEqual(['with skill', percent(judged), percent(rate), `${n}`])
  })

  test('what was said later at the terminal stands against an older import', async () => {
    const { workspace, lines } = copied()
    const [one] = await decisions(workspace)
    await whetstone(['audit', workspace, '--label', `${one?.id}=agree`])
    const [line] = lines()
    const old = path.join(fresh(), 'old.jsonl')
    writeFileSync(old, JSON.stringify({ ...line, met: !line?.met, at: '2020-01-01T00:00:00.000Z' }))
    await whetstone(['audit', workspace, '--import', old])
    expect(lines()).toHaveLength(1)
    writeFileSync(old, JSON.stringify({ ...line, met: !line?.met, at: '2099-01-01T00:00:00.000Z' }))
    await whetstone(['audit', workspace, '--import', old])
    expect(lines().map(({ met }) => met)).toEqual([line?.met, !line?.met])
  })

  test.each<[string, (line: AuditLine) => string, RegExp]>([
    [
      'a decision of another benchmark',
      (line) => JSON.stringify({ ...line, id: '000000000000' }),
      /no such decision.*:2\)/,
    ],
    ['no line of an audit', () => '{"id":"x"}', /\$\.schema_version.*:2\)/],
    ['no JSON', () => '<script>', /not valid JSON.*:2\b|:2.*not valid JSON/],
  ])('%s is refused by its line, and nothing is kept', async (_what, second, message) => {
    const { workspace, log, lines } = copied()
    const [one] = await decisions(workspace)
    await whetstone(['audit', workspace, '--label', `${one?.id}=agree`])
    const [line] = lines()
    if (line === undefined) throw new Error('no line')
    rmSync(log)
    const file = path.join(fresh(), 'lines.jsonl')
    writeFileSync(file, `${JSON.stringify(line)}\n${second(line)}\n`)
    const end = await whetstone(['audit', workspace, '--import', file])
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(message)])
    expect(lines()).toEqual([])
  })

  test('served: a mark is in the log at once, is taken back, and what the terminal says is seen without a reload', async () => {
    const { url, place } = served()
    const { page, errors } = await opened(`${url}#/audit`)
    const card = page.locator('.decision').first()
    await card.getByRole('button', { name: 'Disagree' }).click()
    await page.getByText('Saved.').waitFor()
    expect(place.lines()).toHaveLength(1)
    const [line] = place.lines()
    expect(line).toMatchObject({ met: !line?.judge_passed, benchmark: path.relative(place.workspace, place.folder) })
    await page.getByText('of 1 decision, 95% CI').waitFor({ timeout: 20_000 })
    await card.getByRole('button', { name: 'Disagree' }).click()
    await page.getByText('No reviews yet').waitFor({ timeout: 20_000 })
    expect(place.lines().map(({ met }) => met)).toEqual([!line?.judge_passed, null])
    const [, other] = await decisions(place.workspace)
    await whetstone(['audit', place.workspace, '--label', `${other?.id}=agree`])
    const second = page.locator('.decision').nth(1).getByRole('button', { name: 'Agree', exact: true })
    await expect.poll(() => second.getAttribute('aria-pressed'), { timeout: 20_000 }).toBe('true')
    await expect.poll(() => page.getByRole('button', { name: /Download \d+ mark/ }).count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('served: what is marked while no server answers is sent when one does, by the page that waits and by one opened anew', {
    timeout: 90_000,
  }, async () => {
    const { folder, lines } = copied()
    let server = await startServed(folder)
    const { page, errors } = await opened(`${server.url}#/audit`)
    const press = (name: string, at: number) =>
      page.locator('.decision').nth(at).getByRole('button', { name, exact: true }).click()
    const waits = () => page.getByText('It is kept in this browser and sent again').first().waitFor()
    const away = async () => {
      server.stop()
      await server.ended
    }
    await away()
    await press('Agree', 0)
    await waits()
    await press('Disagree', 0)
    await waits()
    server = await startServed(folder)
    const wrongs = () => lines().map(({ met, judge_passed }) => met !== judge_passed)
    await expect.poll(wrongs, { timeout: 40_000 }).toEqual([true])
    await page.getByText('Saved.').first().waitFor()
    await away()
    await press('Agree', 1)
    await waits()
    await page.goto('about:blank')
    server = await startServed(folder)
    await page.goto(`${server.url}#/audit`)
    await expect.poll(wrongs, { timeout: 20_000 }).toEqual([true, false])
    await page.getByText('of 2 decisions, 95% CI').waitFor({ timeout: 20_000 })
    await page.reload()
    await page.waitForSelector('html[data-ready]')
    await away()
    expect(lines()).toHaveLength(2) // what was sent is not sent again
    expect(errors).toEqual([])
  })

  const marked = (one: { id: string; run_id: string } | undefined, met: unknown, headers = {}): Asked => ({
    path: '/audit',
    method: 'POST',
    headers: { host: new URL(served().url).host, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ id: one?.id, run_id: one?.run_id, met }),
  })

  test('served: only what is a mark of this benchmark, from this page, is kept', async () => {
    const { url, place } = served()
    const [one] = await decisions(place.workspace)
    const before = place.lines().length
    const status = async (asked: Asked) => ask(url, asked)
    expect(await status(marked(one, true, { origin: 'http://evil.example' }))).toBe(403)
    expect(await status(marked(one, true, { host: 'evil.example' }))).toBe(403)
    expect(await status(marked(one, true, { 'sec-fetch-site': 'cross-site' }))).toBe(403)
    expect(await status(marked(one, true, { 'content-type': 'text/plain' }))).toBe(415)
    expect(await status(marked(one, 'yes'))).toBe(400)
    expect(await status(marked({ id: 'no', run_id: one?.run_id ?? '' }, true))).toBe(400)
    expect(await status(marked({ id: one?.id ?? '', run_id: '../../../../etc' }, true))).toBe(400)
    expect(place.lines()).toHaveLength(before)
    // negative control: the same request as it should be
    expect(await status(marked(one, true))).toBe(200)
    expect(place.lines()).toHaveLength(before + 1)
  })

  test('served: marks and labels at the same moment all become whole lines', async () => {
    const { url, place } = served()
    const all = await decisions(place.workspace, '--sample', '100')
    const before = place.lines().length
    const posted = Array.from({ length: 5 }, () => all.map((one) => ask(url, marked(one, true)))).flat()
    const words = all.map(({ id }) => `--label=${id}=agree`)
    const [statuses, end] = await Promise.all([Promise.all(posted), whetstone(['audit', place.workspace, ...words])])
    expect([new Set(statuses), end.code]).toEqual([new Set([200]), 0])
    expect(place.lines()).toHaveLength(before + 6 * all.length)
  })

  test('axe finds nothing in either theme', async () => {
    const { page } = await opened(`${served().url}#/audit`, { bypassCSP: true, reducedMotion: 'reduce' })
    await page.locator('.decision').first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)).toEqual([])
    }
  })
})
