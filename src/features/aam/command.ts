/** `whetstone test`: runs a package's deterministic tests, without a model. */
import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { TestCaseResult, TestResult } from '../../../schemas/test_result.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { onOff } from '../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxWish } from '../../cli/commands/options/sandbox_flags.ts'
import { applyConfig, locateSkillConfig } from '../../cli/config/configured_command.ts'
import { chooseExitCode, exitCodes } from '../../cli/exit_codes.ts'
import { parseReporters, type ReportTexts, writeReports } from '../../cli/reporters/reporters.ts'
import { alignColumns, colours, durationText, oneLine } from '../../cli/terminal/style.ts'
import { shortenText } from '../../phases/4-report/text/format.ts'
import { workflowCommand } from '../../phases/4-report/text/github.ts'
import { suitesXml, type TestCase } from '../../phases/4-report/text/junit_report.ts'
import { escapeMarkdown, markdownTable } from '../../phases/4-report/text/markdown.ts'
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
  await writeReports(reporters, testTexts, result)
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

const testTexts: ReportTexts<TestResult> = {
  junit: testJunit,
  markdown: testMarkdown,
  json: (result) => `${jsonText(result, 2)}\n`,
  github: testGithub,
}

/** One testsuite per skill or hook event. */
function testJunit({ package: folder, started_at, cases }: TestResult): string {
  const name = path.basename(folder)
  const groups = new Map<string, TestCaseResult[]>()
  for (const one of cases) groups.set(one.of, [...(groups.get(one.of) ?? []), one])
  return suitesXml(
    [...groups].map(([of, tests]) => ({
      name: `${name} ${of}`,
      tests: tests.map((one) => ({
        classname: `${name}.${of}`,
        name: namePackageTest(one),
        seconds: sumTestSeconds(one),
        end: toPackageTestEnd(one),
      })),
      timestamp: started_at,
      headline: writeTestHeadline(tests),
    })),
  )
}

function toPackageTestEnd({ verdict, reason, file }: TestCaseResult): TestCase['end'] {
  const message = shortenText(reason ?? '', 300)
  const detail = `${reason ?? ''}\n${file}`
  switch (verdict) {
    case 'pass':
      return { kind: 'passed' }
    case 'fail':
      return { kind: 'failure', message, text: detail }
    case 'error':
      return { kind: 'error', message, text: detail }
  }
}

function testMarkdown({ package: folder, cases, warnings }: TestResult): string {
  const rows = cases.map((one) => [
    one.verdict,
    one.of,
    namePackageTest(one),
    `${sumTestSeconds(one).toFixed(2)} s`,
    shortenText([one.reason, ...one.warnings].filter((part) => part !== null).join('; '), 200),
  ])
  const said = warnings.map((one) => `- ${escapeMarkdown(one)}\n`).join('')
  const drawn = markdownTable(['', 'of', 'test', 'time', 'why'], rows, 'words')
  return `## ${escapeMarkdown(path.basename(folder))}\n\n${writeTestHeadline(cases)}\n\n${drawn}\n${said === '' ? '' : `\n${said}`}`
}

/** A notice for the whole package, an error for each test that failed or could not run. */
function testGithub({ package: folder, cases }: TestResult): string[] {
  return [
    workflowCommand('notice', path.basename(folder), writeTestHeadline(cases)),
    ...cases.flatMap((one) =>
      one.verdict === 'pass'
        ? []
        : [workflowCommand('error', `${one.of} ${namePackageTest(one)}`, shortenText(one.reason ?? '', 500))],
    ),
  ]
}

function namePackageTest(one: TestCaseResult): string {
  return one.name === one.case ? one.case : `${one.case}: ${one.name}`
}

function sumTestSeconds({ runs }: TestCaseResult): number {
  return runs[0]?.duration_seconds ?? 0
}

function writeTestHeadline(cases: readonly TestCaseResult[]): string {
  const count = (verdict: TestCaseResult['verdict']) => cases.filter((one) => one.verdict === verdict).length
  return `${count('pass')} of ${cases.length} passed, ${count('fail')} failed, ${count('error')} could not be run`
}
