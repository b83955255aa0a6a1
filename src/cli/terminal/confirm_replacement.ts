/** Shows what a version changes, asks on a terminal, and puts it in place of the skill. */
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import type { Replacement } from '../../flows/versions/replace_skill.ts'
import { askYesNo, canAnswer } from './question.ts'
import { colours, toSafeLine } from './style.ts'

/** Changes nothing if the answer is no. Throws UserError if it can't ask and --yes is missing. */
export async function confirmReplacement(
  change: Replacement,
  { name, skill, json, yes }: { name: string; skill: string; json: boolean; yes: boolean },
): Promise<void> {
  const say = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`)
  if (change.diff.length === 0) {
    say(`Nothing to apply: ${toSafeLine(skill)} is ${name} already.`)
    return
  }
  const { green, red, bold } = colours(json ? process.stderr : process.stdout)
  for (const { path: file, lines } of change.diff) {
    say(bold(toSafeLine(file)))
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
    if (!(await askYesNo(`Put ${name} in place of ${toSafeLine(skill)}?`, 'not applied'))) {
      say('Not applied.')
      return
    }
  }
  const backup = await change.apply(new Date())
  say(`Applied ${name}; the earlier version is in ${toSafeLine(path.relative(process.cwd(), backup))}`)
}
