/** Vitest's global setup: one temporary folder for the whole test run, since hundreds of tests leave theirs behind for whoever looks into them. */
import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Every process of the tests gets it as `TMPDIR`; removed at their end. WHETSTONE_KEEP_TMP=1 keeps it. */
export default function setup(): () => Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tests-')) // short: sockets lie in it, whose paths may have 107 bytes
  chmodSync(folder, 0o755) // some tests start processes of another user
  process.env.TMPDIR = folder
  return async () => {
    if (process.env.WHETSTONE_KEEP_TMP === '1') return console.log(`kept: ${folder}`)
    // not rmSync: Vitest waits for its workers meanwhile, and would not see that they ended
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
