/** Two processes on one workspace: the second is told who is at work, and pays for nothing. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { takeLease } from '../../../src/store/lease/lease.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../program.ts'
import { bench, newestIn, says, tidySkill, withModel } from './benched.ts'

const how = ['--runs', '1', '--retries', '0']

/** A benchmark that the same command continues. */
async function unfinished() {
  const asked = { skill: tidySkill(1), workspace: path.join(fresh(), 'ws') }
  const end = await withModel(`faults: [{ status: 529 }]\n${says}`, (env) => bench({ ...asked, env }, ...how))
  expect(end.code).toBe(3)
  return { ...asked, folder: newestIn(asked.workspace).folder }
}

test('while a benchmark is under way, who holds it is said, since when and what to do, and nothing is done', async () => {
  const { folder, ...asked } = await unfinished()
  const lease = await takeLease(folder)
  await withModel(says, async (env, server) => {
    const holder = new RegExp(`process ${process.pid} on \\S+ has been at work there since 2\\d{3}-`)
    const second = await bench({ ...asked, env }, ...how)
    expect([second.code, second.stderr]).toEqual([2, expect.stringMatching(holder)])
    expect(second.stderr).toContain('--fresh')
    for (const command of ['grade', 'aggregate']) {
      const end = await runMain([command, folder], { env })
      expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(holder)])
      expect(end.stderr).toContain('wait')
    }
    expect(server.requests.filter(({ path: place }) => place === '/v1/messages')).toEqual([])
    expect(newestIn(asked.workspace).benchmarks).toBe(1)
    const beside = await bench({ ...asked, env }, ...how, '--fresh')
    expect([beside.code, newestIn(asked.workspace).benchmarks], beside.stderr).toEqual([0, 2])
  })
  if (!('heldBy' in lease)) await lease[Symbol.asyncDispose]()
})

test('control: once it is released the same command goes on there, and leaves no lease', async () => {
  const { folder, ...asked } = await unfinished()
  const end = await withModel(says, (env) => bench({ ...asked, env }, ...how))
  expect([end.code, newestIn(asked.workspace).benchmarks], end.stderr).toEqual([0, 1])
  expect(readdirSync(folder).filter((name) => name.startsWith('.lease'))).toEqual([])
})

test.each([
  ['is cleared', [], 1],
  ['is kept where it holds a file of somebody', ['notes.txt'], 2],
])('a folder that a killed process had only just made %s', async (_what, files, left) => {
  const workspace = path.join(fresh(), 'ws')
  const folder = path.join(workspace, 'benchmarks/2026-01-15T10-30-00Z')
  mkdirSync(folder, { recursive: true })
  for (const file of files) writeFileSync(path.join(folder, file), 'mine')
  const end = await withModel(says, (env) => bench({ workspace, env }, ...how))
  expect(end.code, end.stderr).toBe(0)
  expect(newestIn(workspace).benchmarks).toBe(left)
})
