/** `whetstone test`: runs a package's deterministic tests, without a model. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { TestCaseResult, TestResult } from '../../../schemas/test_result.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { onOff } from '../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxWish } from '../../cli/commands/options/sandbox_flags.ts'
import { applyConfig, locateSkillConfig } from '../../cli/config/configured_command.ts'
import { chooseExitCode, exitCodes } from '../../cli/exit_codes.ts'
import { reportTexts } from '../../cli/reporters/report_texts.ts'
import { parseReporters, writeReports } from '../../cli/reporters/reporters.ts'
import { alignColumns, colours, durationText, oneLine } from '../../cli/terminal/style.ts'
import { testFlags } from './options.ts'

function testOptions(args: Argv) {
  return withJson(args)
    .options({
      json: { ...onOff, describe: 'print the result as one JSON document' },
    })
    .positional('package', {
      type: 'string',
      demandOption: true,
      describe: 'folder of an AAM package, or of a skill with tests',
    })
    .options(testFlags)
    .usage(
      '$0 test <package> [options]\n\nRun the deterministic tests of a package, without a model.\n\nRuns skills/*/tests and hooks/tests, one process per test, and checks the output. Exit 1 if a test fails, 3 if one could not run.',
    )
    .example('$0 test packages/pdf', 'run all tests')
    .example('$0 test packages/pdf --hooks --event pre-tool-use', 'run the tests of one event')
    .example('$0 test packages/pdf --skill pdf-tools --case 01-basic', 'run one file')
    .example('$0 test packages/pdf --reporter junit:results.xml,github', 'write reports for a pipeline')
}

type TestArguments = ArgumentsCamelCase<ReturnType<typeof testOptions> extends Argv<infer T> ? T : never>

export function addTest(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'test <package>'
  return args.command(usage, 'the deterministic tests of a package, without a model', testOptions, async (given) => {
    const request = { command: 'test', usage, options: testOptions, argv, args: given } as const
    const parsed = await applyConfig(given.package, {
      ...request,
      start: await locateSkillConfig(given.package, undefined),
    })
    done(parsed === null ? exitCodes.done : await start(parsed))
  })
}

async function start(parsed: TestArguments): Promise<number> {
  const reporters = await parseReporters(parsed.reporter)
  const { testPackage } = await import('./test_package.ts')
  const { json, hooks } = parsed
  const request = {
    package: parsed.package,
    skill: parsed.skill ?? null,
    hooks,
    event: parsed.event ?? null,
    case: parsed.case ?? null,
    shard: parsed.shard ?? null,
    sandbox: sandboxWish(parsed),
  }
  const { result, interrupted } = await withFlow({ json, oneDocument: true, concurrency: 1 }, (context) =>
    testPackage(request, context),
  )
  const code = showTests(result, { json, interrupted })
  await writeReports(reporters, reportTexts.ofTests, result)
  return code
}

/** 0; 1 when a test fails; 3 when one could not run (takes precedence); 130 after Ctrl-C. */
function showTests(result: TestResult, how: { json: boolean; interrupted: boolean }): number {
  const { failed, errors } = result.summary
  const code = chooseExitCode({ ...how, incomplete: errors > 0, failed: failed > 0 })
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
