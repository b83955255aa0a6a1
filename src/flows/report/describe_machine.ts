/** Describes this machine for reports. */
import os from 'node:os'
import path from 'node:path'
import * as z from 'zod'
import { readJson } from '../../base/json/json.ts'
import { packageRoot } from '../../base/package_root.ts'
import { runProcess } from '../../base/process/spawn.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { MachineInfo } from '../../phases/4-report/eval/eval_verdict.ts'

export async function readWhetstoneVersion(): Promise<string> {
  const file = path.join(packageRoot(), 'package.json')
  return (await readJson(z.looseObject({ version: z.string() }), file)).version
}

export async function describeMachine(env: Readonly<Record<string, string | undefined>>): Promise<MachineInfo> {
  return {
    os: process.platform,
    arch: os.machine(),
    whetstone: await readWhetstoneVersion(),
    node: process.versions.node,
    python: await pythonVersion(env.PATH ?? ''),
  }
}

/** null: none answers. */
async function pythonVersion(PATH: string): Promise<string | null> {
  using limit = startTimeLimit(5000)
  const spec = { command: 'python3', args: ['--version'], cwd: '/', env: { PATH }, signal: limit.signal }
  const said = await runProcess(spec).catch(() => null)
  return /Python (\S+)/.exec(said?.stdout ?? '')?.[1] ?? null
}
