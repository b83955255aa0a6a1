/** Where a report may lie: a slip of the path costs neither a suite nor paid runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { refuseBadPlace } from '../../src/cli/report_place.ts'
import { reportersOf } from '../../src/cli/reporters.ts'

const root = mkdtempSync(path.join(tmpdir(), 'place-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function there(name: string): string {
  const file = path.join(root, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'x')
  return file
}

describe('a report', () => {
  test.each([
    'SKILL.md',
    'EVAL.md',
    'src/sum.ts.EVAL.md',
    'evals/rubric.md',
    'evals/judge.md',
    'evals/golden/happy/001_rent.md',
    'evals/cases/audit.yaml',
    'hooks/hooks.json',
    'evals/evals.json',
    'package.agent.json',
  ])('does not replace %s, whichever flag names it', async (name) => {
    const file = there(name)
    await expect(refuseBadPlace('--output', file)).rejects.toThrow('belongs to a skill or a suite')
    await expect(reportersOf([`markdown:${file}`])).rejects.toThrow('--reporter')
  })
  test.each(['report.md', 'evals/reports/1.json', 'results.xml'])('replaces %s, an earlier report', async (name) => {
    await expect(refuseBadPlace('--output', there(name))).resolves.toBeUndefined()
  })
  test('may be new wherever it is, also with a name of a suite', async () => {
    await expect(refuseBadPlace('--output', path.join(root, 'new/EVAL.md'))).resolves.toBeUndefined()
  })
  test('a folder, and what would lie below a file, are said at once', async () => {
    await expect(refuseBadPlace('--output', root)).rejects.toThrow('is a folder')
    await expect(refuseBadPlace('--output', path.join(there('plain'), 'a.json'))).rejects.toThrow('plain is no folder')
  })
})
