/** What a benchmark keeps of a run is durable before it counts: as the system saw it, each file and their folder, then the rename, then the folder above. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { callsIn, commitsIn, filesOf, isSync, needsStrace, straceTo, unsafeIn } from '../../store/durable_order.ts'
import { agent, fresh, whetstone } from '../program.ts'
import { tidySkill } from './benched.ts'

const store = pathToFileURL(path.join(import.meta.dirname, '../../../dist/src/store/store.js')).href

const isRun = (_: string, to: string) => path.basename(to) === 'run-1'
const isGrading = (from: string, to: string) => from.endsWith('.tmp') && path.basename(to) === 'grading.json'

needsStrace('strace', () => {
  test('finds no file, folder or rename of a run and its grading that a power failure could take', async () => {
    const trace = path.join(fresh(), 'trace')
    const flags = ['--runs', '1', '--sandbox', 'off', '--workspace', fresh()]
    const end = await whetstone(['bench', tidySkill(1), '--engine', agent('tidy.mjs'), ...flags], {
      env: { UV_USE_IO_URING: '0' },
      shell: `exec ${straceTo(trace).join(' ')} "$0" "$@"`,
    })
    expect(end.code, end.stderr).toBe(0)
    const calls = callsIn(readFileSync(trace, 'utf8'))
    const runs = commitsIn(calls, isRun)
    const gradings = commitsIn(calls, isGrading)
    expect(runs).toHaveLength(2)
    expect(gradings).toHaveLength(2)
    for (const { from } of runs) {
      const names = filesOf(calls, from).map((file) => path.relative(from, file))
      expect(names).toEqual(expect.arrayContaining(['run.json', 'transcript.jsonl', 'outputs/metrics.json']))
    }
    expect(unsafeIn(calls, [...runs, ...gradings])).toEqual([])

    // control: with one sync that never came it is found
    for (const commit of [...runs, ...gradings]) {
      for (const file of [...filesOf(calls, commit.from), commit.from]) {
        const fewer = calls.filter((call) => !isSync(call, file))
        expect(unsafeIn(fewer, [commit])).toContain(`not synced: ${file}`)
      }
      const above = path.dirname(commit.to)
      const early = calls.filter((call) => !isSync(call, above) || call.begin < commit.call.end)
      expect(unsafeIn(early, [commit])).toEqual([`rename not synced: ${commit.from}`])
    }
  }, 60_000)

  test('of a folder all is made durable before it is moved', () => {
    const folder = fresh()
    const partial = path.join(folder, '.partial', 'one')
    mkdirSync(path.join(partial, 'outputs'), { recursive: true })
    for (const name of ['a.txt', 'outputs/b.txt']) writeFileSync(path.join(partial, name), name)
    const code = `import { commitRun } from ${JSON.stringify(store)}
await commitRun(${JSON.stringify(partial)}, ${JSON.stringify(folder)}, 'eval-1/with_skill/run-1')`
    const trace = path.join(fresh(), 'trace')
    const [strace = '', ...flags] = straceTo(trace)
    const end = spawnSync(strace, [...flags, process.execPath, '--input-type=module', '-e', code], {
      env: { ...process.env, UV_USE_IO_URING: '0' },
      encoding: 'utf8',
    })
    expect(end.status, end.stderr).toBe(0)
    const calls = callsIn(readFileSync(trace, 'utf8'))
    const [commit, ...others] = commitsIn(calls, isRun)
    expect(others).toEqual([])
    const synced = ['a.txt', 'outputs/b.txt', ''].filter((name) => {
      const file = path.join(partial, name)
      return calls.some((call) => isSync(call, file) && call.end < (commit?.call.begin ?? 0))
    })
    expect(synced).toEqual(['a.txt', 'outputs/b.txt', ''])
  })
})
