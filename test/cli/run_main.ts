/** Runs the command line inside the test's own process: for tests of what it says and does that need no process of its own. */
import { Console } from 'node:console'
import path from 'node:path'
import { Writable } from 'node:stream'
import pLimit from 'p-limit'
import { main } from '../../src/cli/main.ts'
import { addTrust, fresh, type ProgramEnd, type ProgramOptions, plainEnvironment } from '../e2e/program.ts'

type MainEnd = Pick<ProgramEnd, 'code' | 'stdout' | 'stderr'>

/** The agent `tidy.mjs` as a shell script, which starts in a fraction of the time. */
export const tidyAgent = `command:sh ${path.join(import.meta.dirname, '../fixtures/agents/tidy.sh')}`

/** Its working folder, environment and output are those of the whole process. */
const oneAtATime = pLimit(1)

/** What `whetstone` of `test/e2e/program.ts` gives for the same arguments; calls at the same time wait for each other. */
export function runMain(
  args: readonly string[],
  { cwd = fresh(), env = {} }: Pick<ProgramOptions, 'cwd' | 'env'> = {},
): Promise<MainEnd> {
  return oneAtATime(async () => {
    const [stdout, stderr] = [collectText(), collectText()]
    const argv = addTrust(args)
    using _ = replaceProcessState({ argv, cwd, env: { ...plainEnvironment(), ...env }, stdout, stderr })
    const code = await main(argv)
    return { code, stdout: stdout.text, stderr: stderr.text }
  })
}

type TextCollector = Writable & { text: string }

function collectText(): TextCollector {
  const stream = new Writable({
    write(chunk, _, done) {
      collected.text += chunk
      done()
    },
    decodeStrings: false,
  })
  const collected = Object.assign(stream, { text: '' })
  return collected
}

interface ProcessState {
  argv: readonly string[]
  cwd: string
  env: Record<string, string | undefined>
  stdout: Writable
  stderr: Writable
}

/** Sets what a new process would start with; disposing of it sets back what was there before. */
function replaceProcessState({ argv, cwd, env, stdout, stderr }: ProcessState): Disposable {
  const before = { argv: process.argv, cwd: process.cwd(), env: { ...process.env }, console: globalThis.console }
  const streams = { stdout: process.stdout, stderr: process.stderr }
  process.argv = [...before.argv.slice(0, 2), ...argv]
  process.chdir(cwd)
  setEnvironment(env)
  setStreams({ stdout, stderr })
  globalThis.console = new Console(stdout, stderr)
  return {
    [Symbol.dispose]() {
      process.argv = before.argv
      process.chdir(before.cwd)
      setEnvironment(before.env)
      setStreams(streams)
      globalThis.console = before.console
    },
  }
}

/** In place: Node's own functions read the environment of the process, whatever `process.env` names. */
function setEnvironment(env: Record<string, string | undefined>): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const [name, value] of Object.entries(env)) process.env[name] = value
}

function setStreams(streams: { stdout: Writable; stderr: Writable }): void {
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true })
}
