/** Two servers of one folder, each a process of its own: every note that either calls saved is kept. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { appendAudit, readAuditLog } from '../../../src/store/artefacts/audit_log.ts'
import { fresh } from '../../e2e/program.ts'
import { foreign } from '../../viewer/foreign.ts'
import { ask, type ServedPage, startServed } from './served.ts'

const numbers = Array.from({ length: 40 }, (_, index) => index)

function save({ url }: ServedPage, number: number): Promise<number> {
  const one = { run_id: `eval-${number}`, feedback: `note ${number}`, timestamp: '2026-01-01T00:00:00Z' }
  const body = JSON.stringify({ reviews: [one], status: 'in_progress' })
  return ask(url, { path: '/feedback', method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

test('40 notes at once, half of them to each', async () => {
  const folder = foreign()
  const servers = [await startServed(folder), await startServed(folder)] as const
  try {
    const ends = await Promise.all(numbers.map((number) => save(servers[number % 2 === 0 ? 0 : 1], number)))
    expect(new Set(ends)).toEqual(new Set([200]))
    const { reviews } = JSON.parse(readFileSync(path.join(folder, 'feedback.json'), 'utf8'))
    const kept = reviews.map((one: { feedback: string }) => one.feedback)
    expect(kept.sort()).toEqual(numbers.map((number) => `note ${number}`).sort())
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  } finally {
    for (const server of servers) server.stop()
    await Promise.all(servers.map(({ ended }) => ended))
  }
})

const built = (name: string) => path.resolve('dist/src', name)

/** A process that merges notes from its own number on, ten of them, one after the other; `locked` false: without the lock. */
function merges(file: string, from: number, locked: boolean) {
  const script = `
    import { readFileSync, writeFileSync, existsSync } from 'node:fs'
    import { setTimeout as sleep } from 'node:timers/promises'
    import { withFileLock } from '${built('store/lease/file_lock.js')}'
    const add = (number) => async () => {
      const all = existsSync('${file}') ? JSON.parse(readFileSync('${file}', 'utf8')) : []
      await sleep(5)
      writeFileSync('${file}', JSON.stringify([...all, number]))
    }
    for (let number = ${from}; number < ${from + 10}; number += 1) await ${locked ? `withFileLock('${file}', add(number))` : 'add(number)()'}`
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
}

test.each([
  ['with the lock every change is kept', true],
  ['control: without it changes are lost', false],
])('four processes that change one file: %s', async (_what, locked) => {
  const file = path.join(fresh(), 'numbers.json')
  const all = [0, 10, 20, 30].map((from) => merges(file, from, locked))
  const codes = await Promise.all(all.map(async (child) => (await once(child, 'exit'))[0]))
  const kept = () => JSON.parse(readFileSync(file, 'utf8')).length
  if (locked) expect([codes, kept()]).toEqual([[0, 0, 0, 0], 40])
  else expect(codes.some((code) => code !== 0) || kept() < 40).toBe(true)
})

test('a lock whose owner was killed is taken over', async () => {
  const file = path.join(fresh(), 'feedback.json')
  const script = `import { withFileLock } from '${built('store/lease/file_lock.js')}'
    await withFileLock('${file}', async () => { console.log('has it'); await new Promise(() => setInterval(() => {}, 1000)) })`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(owner.stdout, 'data')
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  const { withFileLock } = await import('../../../src/features/serve_page/save_notes.ts')
  await withFileLock(file, async () => writeFileSync(file, 'mine'))
  expect(readFileSync(file, 'utf8')).toBe('mine')
  expect(existsSync(path.join(path.dirname(file), '.feedback.json.lock'))).toBe(false)
})

test('lines of two processes in the audit log are all there', async () => {
  const workspace = fresh()
  const line = (id: string) => ({
    ...{ schema_version: 1 as const, id, at: '2026-01-01T00:00:00.000Z', met: true, judge_passed: true, text: 't' },
    ...{ benchmark: 'b', run_id: 'r', eval_id: 1, configuration: 'with_skill' },
  })
  const script = `import { appendAudit } from '${built('store/artefacts/audit_log.js')}'
    const { line } = JSON.parse(process.argv[1])
    await Promise.all(Array.from({ length: 20 }, (_, at) => appendAudit('${workspace}', { ...line, id: 'other-' + at })))`
  const other = spawn(process.execPath, ['--input-type=module', '-e', script, JSON.stringify({ line: line('x') })])
  await Promise.all(Array.from({ length: 20 }, (_, at) => appendAudit(workspace, line(`own-${at}`))))
  if (other.exitCode === null) await once(other, 'exit')
  expect(readAuditLog(workspace).size).toBe(40)
})
