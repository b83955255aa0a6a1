/** A disk that is full, or can't be written to: one clear line, nothing half-written counts, nothing more is paid for; and what a benchmark keeps of a run is durable before it counts. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { needs } from '../../require.ts'
import { callsIn, commitsIn, filesOf, isSync, needsStrace, straceTo, unsafeIn } from '../../store/durable_order.ts'
import { agent, fresh, type ProgramOptions, whetstone } from '../program.ts'
import { tidySkill } from './benched.ts'

const skill = tidySkill(6)
const log = () => path.join(fresh(), 'agent.log')
const starts = (file: string) => (existsSync(file) ? (readFileSync(file, 'utf8').match(/start/g)?.length ?? 0) : 0)

function bench(workspace: string, options: ProgramOptions & { log: string; bytes: number }) {
  const args = ['bench', skill, '--engine', agent('verbose.mjs'), '--workspace', workspace, '--runs', '1']
  const env = { ...options.env, AGENT_LOG: options.log, AGENT_BYTES: String(options.bytes) }
  const passed = ['--sandbox', 'off', '--concurrency', '2', '--pass-env', 'AGENT_LOG', '--pass-env', 'AGENT_BYTES']
  return whetstone([...args, ...passed], { ...options, env })
}

/** Every JSON file of a workspace, which must be whole; gives how many run.json there are. */
function runsIn(workspace: string): number {
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' })
  for (const name of names.filter((one) => one.endsWith('.json')))
    JSON.parse(readFileSync(path.join(workspace, name), 'utf8'))
  expect(names.filter((name) => /\.partial|\.tmp$|\.lease/.test(name))).toEqual([])
  return names.filter((name) => name.startsWith('benchmarks') && path.basename(name) === 'run.json').length
}

const mounts: string[] = []
function mounted(options: string): string | null {
  const folder = fresh()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status !== 0) return null
  mounts.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of mounts) spawnSync('umount', ['-l', folder])
})

describe('files may not grow (as with a quota)', () => {
  test('ends with 3 and one line; continue with the same command', async () => {
    const [workspace, file] = [path.join(fresh(), 'ws'), log()]
    const limited = 'trap "" XFSZ; ulimit -f 100; exec "$0" "$@"'
    const end = await bench(workspace, { log: file, bytes: 300_000, shell: limited })
    expect(end.code, end.stderr).toBe(3)
    expect(end.stderr).toMatch(/^error: .*EFBIG.*\nhint: free the missing resource/m)
    expect(end.stderr).not.toMatch(/\n\s+at /)
    expect(starts(file), 'two at work and two that are made durable').toBeLessThanOrEqual(4)
    expect(runsIn(workspace)).toBe(0)
    const again = await bench(workspace, { log: file, bytes: 300_000 })
    expect(again.code, again.stderr).toBe(0)
    expect(runsIn(workspace)).toBe(12)
    expect(readdirSync(path.join(workspace, 'benchmarks'))).toHaveLength(1)
  })
})

const full = mounted('size=1m')
const needsMounts = needs('a tmpfs of its own', full !== null, 'run as root, where mount is allowed')
needsMounts('a disk of 1 MiB', () => {
  test('ends with 3 and one line; finished runs are kept, none is half there; with more space it goes on', async () => {
    const [workspace, file] = [path.join(full ?? '', 'ws'), log()]
    const end = await bench(workspace, { log: file, bytes: 100_000 })
    expect(end.code, end.stderr).toBe(3)
    expect(end.stderr).toMatch(/^error: .*ENOSPC.*\nhint: free the missing resource/m)
    const kept = runsIn(workspace)
    const before = starts(file)
    expect(before).toBeLessThan(12)
    execFileSync('mount', ['-o', 'remount,size=50m', full ?? ''])
    const again = await bench(workspace, { log: file, bytes: 100_000 })
    expect(again.code, again.stderr).toBe(0)
    expect(again.stderr).not.toContain('damaged')
    expect(starts(file) - before).toBe(12 - kept)
    expect(runsIn(workspace)).toBe(12)
  })
  test('does not count a run without what its agent made; with more space it is made again, with all of it', async () => {
    const disk = mounted('size=1m') ?? ''
    const maker = path.join(fresh(), 'maker.sh')
    writeFileSync(maker, 'cat > /dev/null; head -c 3000000 /dev/zero > large.bin; echo TIDY\n')
    const args = ['bench', tidySkill(1), '--engine', `command:sh ${maker}`, '--workspace', disk]
    const end = await whetstone([...args, '--runs', '1', '--sandbox', 'off'])
    expect(end.code, end.stderr).toBe(3)
    expect(end.stderr).toMatch(/^error: .*ENOSPC.*\nhint: free the missing resource/m)
    expect(runsIn(disk)).toBe(0)
    execFileSync('mount', ['-o', 'remount,size=50m', disk])
    const again = await whetstone([...args, '--runs', '1', '--sandbox', 'off'])
    expect(again.code, again.stderr).toBe(0)
    const names = readdirSync(disk, { recursive: true, encoding: 'utf8' })
    const made = names.filter((name) => /^benchmarks.*outputs.large/.test(name))
    expect(made.map((name) => statSync(path.join(disk, name)).size)).toEqual([3_000_000, 3_000_000])
  })
})

needsMounts('a temporary folder that is full while an agent works ends with 3, and no run becomes a grade', () => {
  const ends = async (tmp: string, engine: string, env: Record<string, string> = {}) => {
    const workspace = path.join(fresh(), 'ws')
    const args = ['bench', tidySkill(1), '--engine', engine, '--workspace', workspace, '--runs', '3']
    const more = ['--sandbox', 'off', '--concurrency', '1']
    const end = await whetstone([...args, ...more], { env: { TMPDIR: tmp, ...env } })
    return { end, made: runsIn(workspace) }
  }
  const refused = ({ end, made }: Awaited<ReturnType<typeof ends>>, tmp: string) => {
    expect(end.code, end.stderr).toBe(3)
    expect(end.stderr).toMatch(/^error: .*ENOSPC.*\nhint: free the missing resource/m)
    expect(made).toBe(0)
    expect(readdirSync(tmp)).toEqual([])
  }
  const writing = (megabytes: number) => {
    const input = { file_path: 'large.txt', content: 'x'.repeat(megabytes * 1_000_000) }
    const rules = [
      { name: 'write', when: { turn: 1 }, answer: { tool_calls: [{ name: 'Write', input }] } },
      { name: 'end', when: { turn: 2 }, answer: { text: 'TIDY' } },
    ]
    return parseScenario(JSON.stringify({ rules }), 'test.yaml')
  }
  test.each([
    [3, 3],
    [0.1, 0],
  ])('through a tool of ours: %d MB end with %i', async (megabytes, code) => {
    const tmp = mounted('size=1m') ?? ''
    await using server = await startPractice({ scenario: writing(megabytes) })
    const key = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
    const result = await ends(tmp, 'anthropic:practice-1', key)
    if (code === 3) refused(result, tmp)
    else expect([result.end.code, result.made], result.end.stderr).toEqual([0, 6])
    if (code === 3) expect(server.requests.filter((one) => one.path === '/v1/messages')).toHaveLength(1)
  })
  test.each([
    ['3000000', 3],
    ['100000', 0],
  ])('by an agent of its own, %s bytes: ends with %i', async (bytes, code) => {
    const tmp = mounted('size=1m') ?? ''
    const filler = path.join(fresh(), 'filler.sh')
    writeFileSync(filler, `cat > /dev/null; head -c ${bytes} /dev/zero > large.bin 2> /dev/null; echo TIDY\n`)
    const result = await ends(tmp, `command:sh ${filler}`)
    if (code === 3) refused(result, tmp)
    else expect([result.end.code, result.made], result.end.stderr).toEqual([0, 6])
  })
})

const refusesBeforePaying = async (folder: string) => {
  const file = log()
  const end = await bench(path.join(folder, 'ws'), { log: file, bytes: 0 })
  expect(end.code, end.stderr).toBe(2)
  expect(end.stderr).toMatch(/^error: .*\nhint: .*--workspace/m)
  expect(starts(file)).toBe(0)
}

needsMounts('a disk that is read-only ends with 2 before anything is paid for', () => {
  test('from the start', async () => refusesBeforePaying(mounted('ro') ?? ''))
  test('a benchmark that is graded or compared: what there is is advised', async () => {
    const folder = mounted('size=50m') ?? ''
    await bench(path.join(folder, 'ws'), { log: log(), bytes: 0 })
    const benchmark = path.join(folder, 'ws/benchmarks', readdirSync(path.join(folder, 'ws/benchmarks'))[0] ?? '')
    execFileSync('mount', ['-o', 'remount,ro', folder])
    for (const command of ['grade', 'compare']) {
      const judge = command === 'grade' ? [] : ['--judge', agent('tidy.mjs')]
      const end = await whetstone([command, benchmark, ...judge, '--sandbox', 'off'])
      expect(end.code, end.stderr).toBe(2)
      expect(end.stderr).toMatch(/^error: .*results can't be written there: EROFS.*\nhint: copy the folder/m)
      expect(end.stderr).not.toContain('--workspace')
    }
  })
  test('an unfinished benchmark on a disk that is read-only by now', async () => {
    const folder = mounted('size=50m') ?? ''
    const [workspace, file] = [path.join(folder, 'ws'), log()]
    const limited = 'trap "" XFSZ; ulimit -f 100; exec "$0" "$@"'
    await bench(workspace, { log: file, bytes: 300_000, shell: limited })
    const before = starts(file)
    execFileSync('mount', ['-o', 'remount,ro', folder])
    const end = await bench(workspace, { log: file, bytes: 0 })
    expect(end.code, end.stderr).toBe(2)
    expect(end.stderr).toMatch(/^error: .*read-only.*\nhint: .*--workspace/m)
    expect(starts(file)).toBe(before)
  })
})

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
})
