/** Names of what is made beside its place, where every process has the same number, as in containers that share a folder. */
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { fresh } from '../../e2e/program.ts'

/** As a process that starts: its count starts at 0 again. */
async function process() {
  vi.resetModules()
  const { tempSiblingName } = await import('../../../src/base/fs/temp_sibling.ts')
  const { writeAtomic } = await import('../../../src/base/fs/durable_files.ts')
  return { nameBeside: tempSiblingName, writeAtomic }
}

test('lie in the same folder, hidden, and are never given twice', async () => {
  const place = path.join('/a', 'b.json')
  const { nameBeside } = await process()
  const names = Array.from({ length: 1000 }, () => nameBeside(place))
  expect(new Set(names).size).toBe(1000)
  expect(names.every((name) => /^\/a\/\.b\.json\.[^/]+\.tmp$/.test(name))).toBe(true)
})

test('what one left that was killed is in no other one’s way', async () => {
  const file = path.join(fresh(), 'benchmark.json')
  const killed = await process()
  for (let count = 0; count < 3; count += 1) writeFileSync(killed.nameBeside(file), 'half')
  const next = await process()
  await next.writeAtomic(file, 'whole')
  expect(readdirSync(path.dirname(file))).toHaveLength(4)
})
