/** Prints an error that ends a command, or would end a dry run's real start: a line on stderr, then its hint; with --json also an object. */
import { errnoCode, errorMessage } from '../base/errors/error.ts'
import { jsonText } from '../base/json/json_text.ts'
import { findErrorFix, toExitCode } from './error_code.ts'
import { errorLines } from './error_lines.ts'
import { type ResumeWay, resumeHint } from './terminal/interrupt.ts'
import { colours, toSafeLine } from './terminal/style.ts'

interface ErrorView {
  json: boolean
  goesOn: ResumeWay
  /** The resume command; null or absent: none. */
  resume?: string | null
}

/** Returns the error's exit code. */
export function sayError(error: unknown, { json, goesOn, resume = null }: ErrorView): number {
  const exit_code = toExitCode(error)
  const given = findErrorFix(error)
  const fix = given === null ? null : resumeHint(given, goesOn)
  if (json) {
    const name = errnoCode(error)
    const line = {
      type: 'error',
      exit_code,
      ...(name !== null && { code: name }),
      message: errorMessage(error),
      fix,
      ...(resume !== null && { resume }),
    }
    process.stdout.write(`${jsonText(line)}\n`)
  }
  const { red } = colours(process.stderr)
  const lines = [
    ...errorLines(errorMessage(error), fix, red),
    ...(resume === null ? [] : [`      ${toSafeLine(resume)}`]),
  ]
  process.stderr.write(lines.map((line) => `${line}\n`).join(''))
  return exit_code
}
