/** Between two iterations: shows the page of the newest benchmark of training cases and waits until a person says that it may go on. */
import path from 'node:path'
import { UserError } from '../base/error.ts'
import type { Review } from '../flows/improve/request.ts'
import { askLine } from './question.ts'
import { safe } from './style.ts'

/** Resolves when the reader goes on. Feedback is read from feedback.json beside the page by the next proposal. */
const waitForReview: Review = async ({ folder, cases }) => {
  const shown = safe(path.relative(process.cwd(), folder) || '.')
  process.stderr.write(
    `review: whetstone view ${shown} --serve shows it and writes ${shown}/feedback.json;\nthe next proposer reads what you say of runs of cases ${cases.join(', ')}\n`,
  )
  await askLine('Press Enter to go on with the next iteration. ', 'stopped; the same command with --resume goes on')
}

/** Throws UserError where nobody can press Enter: before anything is paid for. */
export function reviewer(): Review {
  if (process.stdin.isTTY) return waitForReview
  throw new UserError('--review: nobody is there to go on', 'run it on a terminal')
}
