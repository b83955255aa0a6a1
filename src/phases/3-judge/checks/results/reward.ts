/** The reward files of a Harbor verifier: reward.json and reward.txt. */
import * as z from 'zod'
import { errorMessage } from '../../../../base/errors/error.ts'
import { checkAs, parseJson } from '../../../../base/json/json.ts'
import { capText } from '../inputs/evidence.ts'
import { readScore, type VerifierResult } from './verifier_result.ts'

/** A number alone. */
export function readRewardText(text: string): VerifierResult {
  const given = text.trim()
  if (given === '') return { error: 'reward.txt is empty' }
  return readScore(Number.isNaN(Number(given)) ? given : Number(given), 'reward.txt')
}

const rewards = z.union([z.number().transform((reward) => ({ reward })), z.record(z.string(), z.unknown())])

/** `reward` of an object, or its only number. */
export function readRewardJson(text: string): VerifierResult {
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
