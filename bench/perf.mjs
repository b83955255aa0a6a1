// npm run perf: every bench, each in a process of its own; exit 1 where a limit is passed.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { settle } from './shared.mjs'

const asked = process.argv.slice(2)
const all = [
  'startup',
  'runs',
  'makespan',
  'triggers',
  'aggregate',
  'statistics',
  'memory',
  'cache',
  'eval_cache',
  'plugin_eval',
  'limits',
  'queue',
  'inflight',
  'evidence',
  'gradings',
  'viewer',
  'formats',
]
const names = asked.length > 0 ? asked : all
for (const name of names) {
  settle()
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, `${name}.mjs`)], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
