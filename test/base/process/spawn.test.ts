/** Children end: whatever they do, nothing of their group outlives the call. Processes are found by the mark that they carry now. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import { runMark } from '../../../src/base/process/process_marks.ts'
import { type ProcessSpec, runProcess, SpawnError } from '../../../src/base/process/spawn.ts'
import { fresh } from '../../e2e/program.ts'

const cwd = mkdtempSync(path.join(tmpdir(), 'spawn-test-'))
const env = { PATH: process.env.PATH ?? '' }

function node(code: string, more: Partial<ProcessSpec> = {}) {
  const signal = new AbortController().signal
  return runProcess({ command: process.execPath, args: ['-e', code], cwd, env, signal, graceMs: 300, ...more })
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('a process', () => {
  test('gives its stdout and exit code', async () => {
    expect(await node('console.log("hi"); process.exitCode = 3')).toMatchObject({ stdout: 'hi\n', exitCode: 3 })
  })
  test('gets its stdin, which ends', async () => {
    expect((await node('process.stdin.pipe(process.stdout)', { stdin: 'über' })).stdout).toBe('über')
  })
  test('may exit without reading its stdin', async () => {
    expect((await node('process.exit(0)', { stdin: 'x'.repeat(1e6) })).exitCode).toBe(0)
  })
  test('that cannot start is a SpawnError with its code', async () => {
    const start = runProcess({ command: './no-such', args: [], cwd, env, signal: new AbortController().signal })
    await expect(start).rejects.toThrow(SpawnError)
    await expect(start).rejects.toMatchObject({ code: 'ENOENT' })
  })
  test('that is killed tells the signal', async () => {
    expect(await node('process.kill(process.pid, "SIGKILL")')).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })
  test('sees only the environment it is given', async () => {
    expect(JSON.parse((await node('console.log(JSON.stringify(process.env))')).stdout)).toEqual(env)
  })
})

describe('output', () => {
  test('of 100 MB is drained and kept to the limit', async () => {
    const code =
      'const b = "x".repeat(1e6) + "\\n"; let n = 0; (function w() { while (n++ < 100) if (!process.stdout.write(b)) return process.stdout.once("drain", w) })()'
    const end = await node(code, { stdoutLimit: 1000 })
    expect(end.stdout.length).toBe(1000)
    expect(end).toMatchObject({ stdoutCut: true, exitCode: 0 })
  })
  test('comes by lines, the last one without a newline too, split characters whole', async () => {
    const lines: string[] = []
    const onLine = (line: string) => {
      lines.push(line)
      return undefined
    }
    await node(
      'process.stdout.write(Buffer.from("a\\nü").subarray(0, 3)); setTimeout(() => process.stdout.write(Buffer.from("ü").subarray(1)), 50)',
      { onLine },
    )
    expect(lines).toEqual(['a', 'ü'])
  })
  test('lines over the limit are dropped, the next one comes', async () => {
    const lines: string[] = []
    const onLine = (line: string) => {
      lines.push(line)
      return undefined
    }
    await node('console.log("y".repeat(5000)); console.log("next")', { onLine, lineLimit: 100 })
    expect(lines).toEqual(['next'])
  })
  test('on stderr goes to a capped file and a tail', async () => {
    const stderrFile = path.join(cwd, 'stderr.log')
    const end = await node('process.stderr.write("e".repeat(9000) + "END")', { stderrFile, stderrLimit: 100 })
    expect(statSync(stderrFile).size).toBe(100)
    expect(end.stderrTail.endsWith('END')).toBe(true)
  })
})

describe('the end', () => {
  test('after the last line: a process that never exits is ended', async () => {
    const onLine = (line: string) => (line === 'result' ? ('last' as const) : undefined)
    const end = await node('console.log("result"); setInterval(() => {}, 1000)', { onLine })
    expect(end).toMatchObject({ ended: true, signal: 'SIGTERM' })
  })
  test('abort: SIGTERM ignored means SIGKILL', async () => {
    const stop = new AbortController()
    let pid = 0
    const onLine = (line: string) => {
      pid = Number(line)
      stop.abort(new Error('enough'))
      return undefined
    }
    const run = node('process.on("SIGTERM", () => {}); console.log(process.pid); setInterval(() => {}, 1000)', {
      signal: stop.signal,
      onLine,
    })
    await expect(run).rejects.toThrow('enough')
    expect(alive(pid)).toBe(false)
  })
  test('a grandchild that holds the pipe is ended with its group', async () => {
    const code =
      'const c = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }); console.log(c.pid); c.unref()'
    const end = await node(code)
    await sleep(50)
    expect(alive(Number(end.stdout))).toBe(false)
  })
  test('what onLine throws ends the group, and comes from the call', async () => {
    const lines: string[] = []
    const onLine = (line: string) => {
      lines.push(line)
      throw new Error(`no sense in ${line}`)
    }
    const code = 'console.log(process.pid); console.log("more"); setInterval(() => {}, 1000)'
    await expect(node(code, { onLine })).rejects.toThrow('no sense in')
    expect(lines).toHaveLength(1)
    expect(alive(Number(lines[0]))).toBe(false)
  })
  test('an aborted signal starts nothing', async () => {
    await expect(node('', { signal: AbortSignal.abort(new Error('never')) })).rejects.toThrow('never')
  })
})

const linux = process.platform === 'linux'

async function withShell(script: string, use: () => Promise<void>): Promise<void> {
  const child = spawn('sh', ['-c', script], { env: { PATH: process.env.PATH }, stdio: 'ignore', detached: true })
  try {
    await use()
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

describe.runIf(linux)('looks at processes', () => {
  test('find one that was looked at before it had the mark', async () => {
    const { wait, open } = makeGate()
    await withShell(`${wait}; ${runMark}=late exec sleep 60`, async () => {
      expect(await findMarkedProcesses('late')).toEqual([])
      open()
      await expect.poll(() => findMarkedProcesses('late')).toHaveLength(1)
    })
  })
  test('forget a process that has ended and is not waited for', async () => {
    const { wait, open } = makeGate()
    await withShell(`${runMark}=dead sh -c '${wait}' & exec sleep 60`, async () => {
      await expect.poll(() => findMarkedProcesses('dead')).not.toEqual([])
      open()
      await expect.poll(() => findMarkedProcesses('dead')).toEqual([])
    })
  })
})

/** What a shell does until `open()`. */
function makeGate() {
  const file = path.join(fresh(), 'gate')
  return { wait: `while [ ! -e ${file} ]; do sleep 0.02; done`, open: () => writeFileSync(file, '') }
}
