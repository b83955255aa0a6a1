/** Passed cases of eval in a workspace's cache, one small file each, signed and by key. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type EvalPass, evalPass } from '../../../schemas/eval_pass.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import type { OnDamage } from '../artefacts/damage.ts'
import type { ResultSigner } from '../signing/signer.ts'
import { cachePaths } from './cache.ts'
import { readValue, sealValue } from './cache_grading.ts'
import type { EntryName } from './sealed_entry.ts'

function describePass(workspace: string, key: string, signer: ResultSigner) {
  const name: EntryName = { kind: 'pass', key }
  return { name, file: path.join(cachePaths(workspace).passes, key), signer }
}

/** null: none, or reported: damaged, or somebody else's. */
export function readPass(
  workspace: string,
  key: string,
  on: { signer: ResultSigner; damage: OnDamage },
): EvalPass | null {
  return readValue(evalPass, describePass(workspace, key, on.signer), on.damage)
}

export async function keepPass(workspace: string, pass: EvalPass, signer: ResultSigner): Promise<void> {
  const { name, file } = describePass(workspace, pass.key, signer)
  await mkdir(path.dirname(file), { recursive: true })
  await writeAtomic(file, sealValue(name, pass, signer))
}
