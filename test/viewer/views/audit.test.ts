/** The audit tab: its sample and figures are those of the terminal and of benchmark.json; what a page gave is imported once. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AuditLine } from '../../../schemas/audit.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { drawPages } from '../draw.ts'
import { type Audited, addressOf, benchJudged, listDecisions } from './audited.ts'

const draw = drawPages()
let copied: () => Audited
beforeAll(async () => {
  copied = await benchJudged()
})

test('shows the sample of `whetstone audit`, each with verdict, evidence, answer and task', async () => {
  const place = copied()
  const page = await draw(place, '#/audit')
  expect(page.text('h1')).toContain('No reviews yet')
  const runs = page.links('.decision a[href^="#/run/"]').filter(([, href]) => !href?.includes('tab='))
  expect(runs.map(([, href]) => href)).toEqual((await listDecisions(place.workspace)).map(addressOf))
  const [first] = page.texts('.decision')
  for (const part of ['The judge says', 'as far as can be seen', 'The answer', 'The task']) {
    expect(first).toContain(part)
  }
})

test('the figures are those of benchmark.json: both kinds of error, the rates of the arms corrected', async () => {
  const place = copied()
  const all = await listDecisions(place.workspace, '--sample', '100')
  const labels = all.map(({ id }, index) => `--label=${id}=${index % 5 ? 'agree' : 'disagree'}`)
  await runMain(['audit', place.workspace, ...labels])
  const { audit } = JSON.parse(readFileSync(path.join(place.folder, 'benchmark.json'), 'utf8'))
  const page = await draw(place, '#/audit')
  const percent = (rate: number) => `${Math.round(rate * 100)}%`
  const { both_met, only_judge, only_person, neither } = audit.table
  const [table, corrected] = page.all('.plain').map((one, index) => {
    one.setAttribute('id', `table-${index}`)
    return `#table-${index}`
  })
  expect(page.texts(`${table} td`).filter(Boolean).map(Number)).toEqual([both_met, only_judge, only_person, neither])
  const figures = page.texts('.figures .figure').map((text) => text.trim())
  expect(figures[0]).toMatch(new RegExp(`^${audit.kappa.toFixed(2)}`))
  for (const [index, name] of ['sensitivity', 'specificity'].entries()) {
    const { rate, ci_low, ci_high } = audit[name]
    expect(figures[index + 1]).toBe(`${percent(rate)}95% CI ${percent(ci_low)} to ${percent(ci_high)}`)
  }
  // agreement is in the headline alone
  expect(page.text('h1')).toContain(`on ${percent(audit.agreement.rate)} of`)
  expect(page.text('.banner')).toContain('too small to confirm')
  const { judged, rate, n } = audit.corrected.with_skill
  const row = page.texts(`${corrected} tbody tr th, ${corrected} tbody tr td`)
  expect([row[0], row[1], row[2], row[4]]).toEqual(['with skill', percent(judged), percent(rate), `${n}`])
})

describe('what a page gave is imported', () => {
  /** A line about the first decision, which is no more in the log. */
  const lineOf = async ({ workspace, log, lines }: Audited): Promise<AuditLine> => {
    const [one] = await listDecisions(workspace)
    await runMain(['audit', workspace, '--label', `${one?.id}=agree`])
    const [line] = lines()
    if (line === undefined) throw new Error('no line')
    rmSync(log)
    return line
  }
  const put = (lines: readonly string[]): string => {
    const file = path.join(fresh(), 'lines.jsonl')
    writeFileSync(file, `${lines.join('\n')}\n`)
    return file
  }

  test('once; what was said later at the terminal stands against an older import', async () => {
    const place = copied()
    const line = await lineOf(place)
    const importing = (more: Partial<AuditLine>) =>
      runMain(['audit', place.workspace, '--import', put([JSON.stringify({ ...line, ...more })])])
    for (const _ of [1, 2]) expect(await importing({})).toMatchObject({ code: 0, stderr: '' })
    expect(place.lines()).toEqual([line])
    await importing({ met: !line.met, at: '2020-01-01T00:00:00.000Z' })
    expect(place.lines()).toHaveLength(1)
    await importing({ met: !line.met, at: '2099-01-01T00:00:00.000Z' })
    expect(place.lines().map(({ met }) => met)).toEqual([line.met, !line.met])
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
    const place = copied()
    const line = await lineOf(place)
    const end = await runMain(['audit', place.workspace, '--import', put([JSON.stringify(line), second(line)])])
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(message)])
    expect(place.lines()).toEqual([])
  })
})
