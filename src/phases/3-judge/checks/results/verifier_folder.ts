/** Reads the folder that a Harbor verifier writes: reward.json or reward.txt, and ctrf.json. */
import path from 'node:path'
import { errorMessage } from '../../../../base/errors/error.ts'
import { pathExists } from '../../../../base/fs/files.ts'
import { readText } from '../../../../base/json/json.ts'
import { readCtrf } from './ctrf.ts'
import { readRewardJson, readRewardText } from './reward.ts'
import type { ReadResult, VerifierResult } from './verifier_result.ts'

/**
 * The reward with the tests behind it; reward.json counts before reward.txt. `expectsTests`: the verifier's script writes
 * ctrf.json, so a reward of 0 without a test that ran says only that the verifier could not run. Never throws.
 */
export async function readVerifierResult(
  folder: string,
  { expectsTests = false }: { expectsTests?: boolean } = {},
): Promise<VerifierResult> {
  const reward =
    (await readIfThere(folder, 'reward.json', readRewardJson)) ??
    (await readIfThere(folder, 'reward.txt', readRewardText))
  if (reward === null) return { error: 'the verifier wrote no reward (reward.txt or reward.json)' }
  if ('error' in reward) return reward
  const tests = await readIfThere(folder, 'ctrf.json', readCtrf)
  if (tests === null) {
    const couldNotRun = expectsTests && reward.score === 0
    return couldNotRun
      ? { error: 'the verifier gave 0 and wrote no ctrf.json, so it ran no test', notLoaded: [] }
      : reward
  }
  if (!('error' in tests)) return { ...reward, ...(tests.tests && { tests: tests.tests }) }
  return reward.score === 0 ? tests : reward // a reward above 0 was earned somehow
}

async function readIfThere(folder: string, name: string, read: ReadResult): Promise<VerifierResult | null> {
  const file = path.join(folder, name)
  if (!(await pathExists(file))) return null
  return readText(file).then(read, (error: unknown) => ({ error: errorMessage(error) }))
}
