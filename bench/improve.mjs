// The improve loop: its gate simulated (false wins, power, true gain beside a loop that takes any higher score; 2,000 sessions a mix), and 20 whole sessions on the practice model.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { root } from './shared.mjs'

const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
const files = ['test/slow/improve.slow.ts', 'test/slow/improve_practice.slow.ts']
const args = [vitest, 'run', '--config', 'test/slow/vitest.config.ts', ...files, '--reporter', 'dot']
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
