/** feedback.json in either dialect: skill-creator's `reviews`, or agentskills.io's `{ "<case or run>": "text" }`. */
import { type Feedback, feedback } from '../../../schemas/feedback.ts'
import { readLoose } from './read_detail.ts'

/** None where the file is not there or is neither. */
export function feedbackIn(file: string): Feedback['reviews'] {
  const value = readLoose(file)
  const parsed = feedback.safeParse(value)
  if (parsed.success) return parsed.data.reviews
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([run_id, text]) =>
    typeof text === 'string' ? [{ run_id, feedback: text, timestamp: '' }] : [],
  )
}
