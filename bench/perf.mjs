// npm run perf: every bench, each in a process of its own; exit 1 where a limit is passed.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'

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

/**
 * ext4 without a journal looks past every inode that was deleted in the last minutes, as long as their blocks are in memory: after a bench that
 * removed thousands of files the next one would pay for that. Only root may let them go; others wait some minutes between benches.
 */
function settle() {
  if (process.platform !== 'linux') return
  spawnSync('sync')
  try {
    writeFileSync('/proc/sys/vm/drop_caches', '3')
  } catch {
    // not root
  }
}
