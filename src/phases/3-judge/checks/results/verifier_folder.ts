/** Reads the folder that a Harbor verifier writes: reward.json or reward.txt, and ctrf.json. */
import path from 'node:path'
import * as z from 'zod'
import { errorMessage } from '../../../../base/errors/error.ts'
import { pathExists } from '../../../../base/fs/files.ts'
import { checkAs, parseJson, readText } from '../../../../base/json/json.ts'
import { capText } from '../inputs/check_input.ts'
import { readCtrf } from './ctrf.ts'
import { type ReadResult, readScore, type VerifierResult } from './verifier_result.ts'

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

function readRewardText(text: string): VerifierResult {
  const given = text.trim()
  if (given === '') return { error: 'reward.txt is empty' }
  return readScore(Number.isNaN(Number(given)) ? given : Number(given), 'reward.txt')
}

const rewards = z.union([z.number().transform((reward) => ({ reward })), z.record(z.string(), z.unknown())])

/** `reward` of an object, or its only number. */
function readRewardJson(text: string): VerifierResult {
  try {
    const found: Record<string, unknown> = checkAs(rewards, parseJson(text, 'reward.json'), 'reward.json')
    const numbers = Object.entries(found).filter(([, value]) => typeof value === 'number')
    const [first, second] = numbers
    if ('reward' in found) return readScore(found.reward, '"reward" of reward.json')
    if (first === undefined) return { error: 'reward.json has no number' }
    if (second === undefined) return readScore(first[1], `"${capText(first[0], 50)}" of reward.json`)
    const names = numbers.map(([name]) => name).join(', ')
    return { error: `reward.json has several numbers (${capText(names)}), and none is named "reward"` }
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

/** Either of the two, by its content. */
export function readReward(text: string): VerifierResult {
  return /^\s*[{]/.test(text) ? readRewardJson(text) : readRewardText(text)
}
