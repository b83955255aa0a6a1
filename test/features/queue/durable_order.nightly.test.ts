/** What a worker commits is durable before it is there: as the system saw it, each file and their folder, then the rename, then the folder above. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh } from '../../e2e/program.ts'
import {
  type Call,
  callsIn,
  commitsIn,
  filesOf,
  isAttempt,
  isSync,
  needsStrace,
  straceTo,
  unsafeIn,
} from '../../store/durable_order.ts'
import { askedOf, benchHere, makeAgent, redisHere } from './here.ts'
import { needsRedis } from './server/servers.ts'
import { startWorker } from './worker.ts'

/** The calls of a worker that made two runs. */
async function traceWorker(url: string): Promise<Call[]> {
  const trace = path.join(fresh(), 'trace')
  const shared = fresh()
  const through = straceTo(trace)
  await using worker = await startWorker(url, shared, { through, env: { UV_USE_IO_URING: '0' }, lock: '60' })
  const pid = Number(/^\d+/.exec(readFileSync(trace, 'utf8'))?.[0])
  try {
    expect((await benchHere(askedOf(makeAgent(), ['one'], { url, shared }))).benchmark.complete).toBe(true)
  } finally {
    process.kill(pid, 'SIGTERM')
  }
  await expect.poll(() => worker.child.exitCode).not.toBeNull()
  return callsIn(readFileSync(trace, 'utf8'))
}

needsStrace('strace', () => {
  needsRedis('through Redis', () => {
    const url = redisHere()
    test('finds no file, folder or rename of an attempt that a power failure could take', async () => {
      const calls = await traceWorker(url())
      const commits = commitsIn(calls, isAttempt)
      expect(commits).toHaveLength(2)
      for (const { from } of commits) {
        const names = filesOf(calls, from).map((file) => path.relative(from, file))
        expect(names).toEqual(
          expect.arrayContaining(['run.json', 'timing.json', 'transcript.jsonl', 'outputs/answer.txt']),
        )
      }
      const unsafe = (some: readonly Call[]) => unsafeIn(some, commitsIn(some, isAttempt))
      expect(unsafe(calls)).toEqual([])
      // control: with one sync that comes too late, or never, it is found
      const [{ from, call: commit } = { from: '', call: undefined }] = commits
      const late = calls.length * 1000
      const after = (file: string) =>
        calls.map((call) => (isSync(call, file) ? { ...call, begin: late, end: late } : call))
      for (const file of filesOf(calls, from)) expect(unsafe(after(file))).toEqual([`not synced: ${file}`])
      expect(unsafe(after(from))).toEqual([`not synced: ${from}`])
      const above = path.dirname(from)
      const early = calls.filter((call) => !isSync(call, above) || call.end < (commit?.begin ?? 0))
      expect(unsafe(early)).toContain(`rename not synced: ${from}`)
    })
  })
})
