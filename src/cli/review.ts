/** Between two iterations: shows the page of the newest benchmark and waits until a person has said that it may go on. */
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { UserError } from '../base/error.ts'
import { safe } from './style.ts'

/** Resolves when the reader goes on. Feedback is read from feedback.json beside the page by the next proposal. */
export async function waitForReview(folder: string): Promise<void> {
  const shown = path.relative(process.cwd(), folder)
  process.stderr.write(
    `review: whetstone view ${safe(shown)} --serve writes ${safe(path.join(shown, 'feedback.json'))}\n`,
  )
  if (!process.stdin.isTTY) throw new UserError('--review: nobody is there to go on', 'run it on a terminal')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  await terminal.question('Press Enter to go on with the next iteration. ').finally(() => terminal.close())
}
