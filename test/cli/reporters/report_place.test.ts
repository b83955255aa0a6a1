/** Where a report may lie: a slip of the path costs neither a suite nor paid runs. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  assertReportPlace,
  parseReporters,
  type ReportTexts,
  writeReports,
} from '../../../src/cli/reporters/reporters.ts'

const root = mkdtempSync(path.join(tmpdir(), 'place-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function there(name: string): string {
  const file = path.join(root, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'x')
  return file
}

describe('a report', () => {
  test.each(
    'SKILL.md EVAL.md src/sum.ts.EVAL.md evals/rubric.md evals/judge.md evals/fixtures/a.csv hooks/hooks.json package.agent.json evals/golden/happy/001_rent.md evals/cases/audit.yaml evals/evals.json'.split(
      ' ',
    ),
  )('does not replace %s, whichever flag names it', async (name) => {
    const file = there(name)
    await expect(assertReportPlace('--output', file)).rejects.toThrow('belongs to a skill or a suite')
    await expect(parseReporters([`markdown:${file}`])).rejects.toThrow('--reporter')
  })
  test.each(['report.md', 'evals/reports/1.json', 'results.xml'])('replaces %s, an earlier report', async (name) => {
    await expect(assertReportPlace('--output', there(name))).resolves.toBeUndefined()
  })
  test('may be new wherever it is, also with a name of a suite', async () => {
    await expect(assertReportPlace('--output', path.join(root, 'new/EVAL.md'))).resolves.toBeUndefined()
  })
  test('a folder, and what would lie below a file, are said at once', async () => {
    await expect(assertReportPlace('--output', root)).rejects.toThrow('is a folder')
    await expect(assertReportPlace('--output', path.join(there('plain'), 'a.json'))).rejects.toThrow(
      'plain is not a folder',
    )
  })
})

test.each(['/proc/x/y.xml', '/proc/self/y.xml', '/sys/x.xml', '/sys/kernel/a/b.xml', '/dev/pts/x.xml'])(
  'nothing can be kept in %s, whoever asks',
  async (file) => {
    const kernel = path.join('/', file.split('/')[1] ?? '')
    if (!existsSync(kernel)) return
    await expect(parseReporters([`junit:${file}`])).rejects.toThrow(`--reporter: ${file}: ${kernel}`)
  },
)

test('one that can no longer be written is named, and the others are written', async () => {
  const one = path.join(root, 'gone/one.xml')
  const two = path.join(root, 'two.md')
  const reporters = await parseReporters([`junit:${one},markdown:${two}`])
  writeFileSync(path.dirname(one), 'a file now lies where its folder was to be')
  const texts: ReportTexts<string> = { junit: String, markdown: String, json: String, github: () => [] }
  await expect(writeReports(reporters, texts, 'said')).rejects.toThrow(`--reporter junit: ${one} can't be written: `)
  expect(readFileSync(two, 'utf8')).toBe('said')
})
