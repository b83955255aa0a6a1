/** A folder as skill-creator's tools leave it: one case, one run of each configuration. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fresh } from '../e2e/program.ts'

export function foreign(withSkill = false): string {
  const folder = path.join(fresh(), 'iteration-1')
  for (const [configuration, passed] of [
    ['with_skill', withSkill],
    ['without_skill', true],
  ] as const) {
    const run = path.join(folder, 'first', configuration, 'run-1')
    mkdirSync(path.join(run, 'outputs'), { recursive: true })
    writeFileSync(path.join(run, 'outputs', 'a.md'), 'by another tool')
    const expectations = [{ text: 'It is tidy', passed, evidence: 'seen' }]
    const summary = { passed: Number(passed), failed: Number(!passed), total: 1, pass_rate: Number(passed) }
    writeFileSync(path.join(run, 'grading.json'), JSON.stringify({ expectations, summary }))
  }
  return folder
}
