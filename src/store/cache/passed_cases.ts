/** Passed cases of eval in a workspace's cache, one small file each, by key. */
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type EvalPass, evalPass } from '../../../schemas/eval_pass.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { cachePaths } from './cache.ts'

function passFile(workspace: string, key: string): string {
  return path.join(cachePaths(workspace).passes, `${key}.json`)
}

/** null: none, or it can't be read. */
export function readPass(workspace: string, key: string): EvalPass | null {
  try {
    const read = evalPass.safeParse(JSON.parse(readFileSync(passFile(workspace, key), 'utf8')))
    return read.success && read.data.key === key ? read.data : null
  } catch {
    return null
  }
}

export async function keepPass(workspace: string, pass: EvalPass): Promise<void> {
  const file = passFile(workspace, pass.key)
  await mkdir(path.dirname(file), { recursive: true })
  await writeAtomic(file, `${jsonText(pass)}\n`)
}
