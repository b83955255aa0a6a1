/** Prints the result of a package's tests; returns the exit code. */
import type { TestCaseResult, TestResult } from '../../../../schemas/test_result.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { exitCodes } from '../../exit_codes.ts'
import { alignColumns, colours, durationText, oneLine } from '../../terminal/style.ts'

/** 0; 1 when a test fails; 3 when one could not run (takes precedence); 130 after Ctrl-C. */
export function showTests(result: TestResult, how: { json: boolean; interrupted: boolean }): number {
  const { failed, errors } = result.summary
  const worst = errors > 0 ? exitCodes.incomplete : failed > 0 ? exitCodes.gateFailed : exitCodes.done
  const code = how.interrupted ? exitCodes.interrupted : worst
  const text = how.json ? jsonText(result, 2) : lines(result).join('\n')
  process.stdout.write(`${text}\n`)
  return code
}

function lines({ cases, warnings, summary }: TestResult): string[] {
  const { bold, yellow } = colours(process.stdout)
  const rows = alignColumns(cases.map((one) => [word(one), one.of, one.case, oneLine(one.name, 60), time(one)]))
  const { total, passed, failed, errors } = summary
  const parts = [
    `${passed} of ${total} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(errors > 0 ? [`${errors} could not be run`] : []),
  ]
  return [
    ...cases.flatMap((one, index) => [
      rows[index] ?? '',
      ...(one.reason === null ? [] : [...descriptionLines(one), `      ${oneLine(one.reason, 600)}`]),
      ...one.warnings.map((text) => `      ${yellow('warning')} ${oneLine(text, 400)}`),
    ]),
    ...warnings.map((text) => `${yellow('warning')} ${oneLine(text, 400)}`),
    '',
    bold(parts.join(', ')),
  ]
}

/** The description of a test that did not pass. */
function descriptionLines({ description }: TestCaseResult): string[] {
  return description === undefined ? [] : [`      ${colours(process.stdout).dim(oneLine(description, 200))}`]
}

function word({ verdict }: TestCaseResult): string {
  const { green, red, yellow } = colours(process.stdout)
  switch (verdict) {
    case 'pass':
      return green('pass')
    case 'fail':
      return red('FAIL')
    case 'error':
      return yellow('error')
  }
}

function time({ runs }: TestCaseResult): string {
  const [first] = runs
  return first === undefined ? '' : durationText(first.duration_seconds * 1000)
}
