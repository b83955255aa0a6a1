/** The whole of a report from one fixed input, as files a person can read. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { toMarkdown } from '../../../src/phases/4-report/text/markdown.ts'
import { pageIn } from '../../viewer/unpack.ts'
import { oneOfEverything } from './fixture.ts'
import { toHtml } from './page_html.ts'

const golden = (name: string) => path.join(import.meta.dirname, 'golden', name)
const made = aggregate(oneOfEverything)

describe('one of everything', () => {
  test('benchmark.json', async () => {
    await expect(`${JSON.stringify(made, null, 2)}\n`).toMatchFileSnapshot(golden('benchmark.json'))
  })
  test('the artefact fits its schema and loses nothing', () => {
    expect(benchmark.parse(JSON.parse(JSON.stringify(made)))).toEqual(made)
  })
  test('benchmark.md', async () => expect(toMarkdown(made)).toMatchFileSnapshot(golden('benchmark.md')))
  test('what report.html carries', async () => {
    await expect(`${JSON.stringify(pageIn(toHtml(made)), null, 2)}\n`).toMatchFileSnapshot(golden('page.json'))
  })
})
