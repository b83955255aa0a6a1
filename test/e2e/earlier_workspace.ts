/**
 * A workspace written by version 0.1.0 (test/fixtures/workspace_of_0_1.json.gz): a finished benchmark, one interrupted after 5 of 8 runs,
 * and a cache of 8 runs with their gradings.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { runMain } from '../cli/run_main.ts'
import { fresh, type ProgramEnd, type ProgramOptions } from './program.ts'

const fixture = path.join(import.meta.dirname, '../fixtures/workspace_of_0_1.json.gz')
const agentAndJudge = ['--engine', 'command:./agent.sh', '--judge', 'command:./judge.sh']

type Start = (
  args: readonly string[],
  options: Pick<ProgramOptions, 'cwd'>,
) => Promise<Pick<ProgramEnd, 'code' | 'stdout' | 'stderr'>>

/** Unpacks it into a new folder. Paths are relative to `folder`. `start`: how its commands run; absent: in this process. */
export function unpackEarlierWorkspace(start: Start = runMain) {
  const folder = fresh()
  const files: Record<string, { text: string; executable: boolean }> = JSON.parse(
    gunzipSync(readFileSync(fixture)).toString(),
  )
  for (const [name, { text, executable }] of Object.entries(files)) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text, { mode: executable ? 0o755 : 0o644 })
  }
  const workspace = 'workspaces/tidy'
  const listBenchmarks = () => {
    const names = readdirSync(path.join(folder, workspace, 'benchmarks')).sort()
    return names.map((name) => path.join(workspace, 'benchmarks', name))
  }
  const run = (args: readonly string[]) => start(args, { cwd: folder })
  // its runs have a fixed date, whatever the day of the test
  const age = ['--baseline-age', '1000000h']
  const options = ['--runs', '2', '--sandbox=off', '--trust-suite', '--workspace', workspace, ...age]
  const bench = () => run(['bench', 'tidy', ...agentAndJudge, ...options])
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
  return { folder, workspace, listBenchmarks, run, bench, read }
}
