/** A path that does not exist is compared with what its folder contains. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { suggestPath } from '../../../src/base/fs/nearest_path.ts'

const root = mkdtempSync(path.join(tmpdir(), 'nearest-path-'))
mkdirSync(path.join(root, 'skills/invoice-totals/evals'), { recursive: true })
mkdirSync(path.join(root, 'skills/pdf'))
writeFileSync(path.join(root, 'skills/pdf/SKILL.md'), '')

test.each([
  ['skills/invoice-total', 'skills/invoice-totals'],
  ['skill/invoice-totals', 'skills/invoice-totals'],
  ['skills/invoice-totlas/evals', 'skills/invoice-totals/evals'],
  ['skills/pdf/SKILLS.md', 'skills/pdf/SKILL.md'],
  ['skills\\pdf', 'skills/pdf'],
])('%s: %s', (given, near) => {
  const [from, to] = [given, near].map((one) => `${root}/${one}`)
  expect(suggestPath(from ?? '')).toBe(`did you mean "${to}"?`)
})

test.each(['skills/weather', 'skills/invoice-total/none', 'no/such/place', 'ab'])('nothing is near %s', (given) => {
  expect(suggestPath(`${root}/${given}`)).toBeNull()
})
