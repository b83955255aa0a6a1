/** Shows the changes of the best version, asks on a terminal, and replaces the skill with it. */
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import { prepareApply } from '../../../flows/improve/apply.ts'
import type { ImproveResult } from '../../../flows/improve/improve.ts'
import { exitCodes } from '../../exit_codes.ts'
import { canAnswer } from '../../terminal/can_answer.ts'
import { askYesNo } from '../../terminal/question.ts'
import { colours, toSafeLine } from '../../terminal/style.ts'

/** Exit code 0, also if nothing changes or the answer is no. Throws UserError if nobody can answer and --yes is absent. */
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
  const change = await prepareApply(result, skill)
  if (change.diff.length === 0) {
    say(`Nothing to apply: ${toSafeLine(skill)} is ${best} already.`)
    return exitCodes.done
  }
  const { green, red, bold } = colours(json ? process.stderr : process.stdout)
  for (const { path: name, lines } of change.diff) {
    say(bold(toSafeLine(name)))
    for (const line of lines)
      say(
        line.startsWith('+')
          ? green(toSafeLine(line))
          : line.startsWith('-')
            ? red(toSafeLine(line))
            : toSafeLine(line),
      )
  }
  if (!yes) {
    if (!canAnswer({ json, yes })) {
      throw new UserError(
        '--apply: cannot ask for confirmation (stdin is not a terminal)',
        'review the diff, then add --yes',
      )
    }
    if (!(await askYesNo(`Put ${best} in place of ${toSafeLine(skill)}?`, 'not applied'))) {
      say('Not applied.')
      return exitCodes.done
    }
  }
  const backup = await change.apply(new Date())
  say(`Applied ${best}; the earlier version is in ${toSafeLine(path.relative(process.cwd(), backup))}`)
  return exitCodes.done
}
