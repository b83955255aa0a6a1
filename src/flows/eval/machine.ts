/** What this machine says of itself, for reports. */
import path from 'node:path'
import { z } from 'zod'
import { readJson } from '../../base/json.ts'
import { runProcess } from '../../base/spawn.ts'
import { timeLimit } from '../../base/time_limit.ts'
import type { Machine } from '../../phases/4-report/eval_report.ts'
import { packageRoot } from '../demo.ts'

/** The version of Whetstone. */
export async function ownVersion(): Promise<string> {
  const file = path.join(packageRoot(), 'package.json')
  return (await readJson(z.looseObject({ version: z.string() }), file)).version
}

export async function machineOf(env: Readonly<Record<string, string | undefined>>): Promise<Machine> {
  return {
    os: process.platform,
    arch: process.arch,
    whetstone: await ownVersion(),
    node: process.versions.node,
    python: await pythonVersion(env.PATH ?? ''),
  }
}

/** Null: there is none that answers. */
async function pythonVersion(PATH: string): Promise<string | null> {
  using limit = timeLimit(5000)
  const spec = { command: 'python3', args: ['--version'], cwd: '/', env: { PATH }, signal: limit.signal }
  const said = await runProcess(spec).catch(() => null)
  return /Python (\S+)/.exec(said?.stdout ?? '')?.[1] ?? null
}
