/** Small folders of gradings in the layouts of other tools. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Files by path; values are written as JSON, texts as they are. Gives the folder. */
export function folderOf(files: Record<string, unknown>, name = 'tidy-workspace'): string {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'foreign-')), name)
  for (const [file, value] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), typeof value === 'string' ? value : JSON.stringify(value))
  }
  return folder
}

/** A grading in which so many of so many expectations pass; `say` makes its evidence its own. */
export function graded(passed: number, total: number, say = '') {
  const expectations = Array.from({ length: total }, (_, index) => ({
    text: `statement ${index + 1}`,
    passed: index < passed,
    evidence: say === '' ? '' : `${say}, line ${index + 1}`,
  }))
  return { expectations, summary: { passed, failed: total - passed, total, pass_rate: passed / total } }
}
