/** Says in how many runs the skill's description did not reach the model in full: then a better one can't help before the list is shorter. */
import type { SkillListing } from '../../../../schemas/run.ts'
import { formatPlural } from './format.ts'

/** Of the runs whose listing is known. Empty: it came in full in all of them. */
export function listingWarnings(listings: readonly SkillListing[]): string[] {
  const count = (how: SkillListing['description']) => listings.filter(({ description }) => description === how).length
  const [cut, leftOut] = [count('cut'), count('left_out')]
  if (cut + leftOut === 0) return []
  const what = [...(cut > 0 ? [`cut in ${cut}`] : []), ...(leftOut > 0 ? [`left out in ${leftOut}`] : [])].join(' and ')
  const others = Math.max(0, ...listings.map((one) => one.others ?? 0))
  const listed = others === 0 ? '' : ` has ${formatPlural(others, 'other skill')} to list, and`
  return [
    `The description of the tested skill was ${what} of ${formatPlural(listings.length, 'run')}: the agent${listed} limits its list. Before you rewrite the description, shorten it or install fewer skills.`,
  ]
}
