/** Shows what the best version changes, asks on a terminal, and puts it in place of the skill. */
import path from 'node:path'
import { UserError } from '../base/error.ts'
import { applying } from '../flows/improve/apply.ts'
import type { ImproveResult } from '../flows/improve/improve.ts'
import { canAnswer } from './ask_first.ts'
import { exitCodes } from './exit.ts'
import { confirmed } from './question.ts'
import { colours, safe } from './style.ts'

/** Exit code 0, also where nothing is to be applied or the answer is no. Throws UserError where nobody can be asked and --yes is not given. */
export async function applyBest(
  result: ImproveResult,
  { skill, json, yes }: { skill: string; json: boolean; yes: boolean },
): Promise<number> {
  const say = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`)
  const { current_best: best } = result.history
  if (best === 'v0') {
    say('Nothing to apply: v0 is the best.')
    return exitCodes.done
  }
  const change = await applying(result, skill)
  if (change.diff.length === 0) {
    say(`Nothing to apply: ${safe(skill)} is ${best} already.`)
    return exitCodes.done
  }
  const { green, red, bold } = colours(json ? process.stderr : process.stdout)
  for (const { path: name, lines } of change.diff) {
    say(bold(safe(name)))
    for (const line of lines)
      say(line.startsWith('+') ? green(safe(line)) : line.startsWith('-') ? red(safe(line)) : safe(line))
  }
  if (!yes) {
    if (!canAnswer({ json, yes })) {
      throw new UserError('--apply: nobody is there to confirm it', 'look at the diff, then give --yes as well')
    }
    if (!(await confirmed(`Put ${best} in place of ${safe(skill)}?`, 'not applied'))) {
      say('Not applied.')
      return exitCodes.done
    }
  }
  const backup = await change.apply(new Date())
  say(`Applied ${best}; what was there before lies in ${safe(path.relative(process.cwd(), backup))}`)
  return exitCodes.done
}
