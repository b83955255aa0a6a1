/** Between two rounds: shows the page of the newest training benchmark and waits for a person to continue. */

import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import { typedCommand } from '../../../base/typed_command.ts'
import type { ReviewBenchmark } from '../../../flows/improve/improve_request.ts'
import { askLine } from '../../terminal/question.ts'
import { toSafeLine } from '../../terminal/style.ts'

/** Resolves when the reader continues. The next proposers read the feedback in feedback.json next to the page. */
const waitForReview: ReviewBenchmark = async ({ folder, cases }) => {
  const shown = toSafeLine(path.relative(process.cwd(), folder) || '.')
  process.stderr.write(
    `review: ${typedCommand()} view ${shown} --serve shows it and writes ${shown}/feedback.json;\nthe next proposers read what you say about runs of cases ${cases.join(', ')}\n`,
  )
  await askLine('Press Enter to continue with the next round. ', 'stopped; continue with the same command and --resume')
}

/** Throws UserError before any paid call if nobody can press Enter. */
export function createReviewer(): ReviewBenchmark {
  if (process.stdin.isTTY) return waitForReview
  throw new UserError('--review: stdin is not a terminal', 'run it in a terminal, or remove --review')
}
