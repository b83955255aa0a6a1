/** `whetstone check`: reports all problems of skills and suites at once, without a model. */
import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { CheckReport, Problem, Severity, TaskTrial, TriedTask } from '../../../schemas/check_report.ts'
import type { Critique, CritiqueFinding } from '../../../schemas/critique.ts'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { commonFlags } from '../../cli/commands/options/common_flags.ts'
import { onOff, text } from '../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { sandboxFlags, sandboxWish } from '../../cli/commands/options/sandbox_flags.ts'
import { locateSkillConfig } from '../../cli/config/configured_command.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { adaptText } from '../../cli/help/installed_text.ts'
import { commandLines } from '../../cli/terminal/command_lines.ts'
import { overlapLines } from '../../cli/terminal/overlap_lines.ts'
import { colours, oneLine, textWidth, toSafeLine, wrapText } from '../../cli/terminal/style.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'

function checkOptions(args: Argv) {
  return withJson(args)
    .options({
      json: { ...onOff, describe: 'print the report as one JSON document' },
    })
    .positional('skill', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'skills, suites, folders of them, plugins or globs',
    })
    .options({
      suite: {
        ...text,
        defaultDescription: '<skill>/evals/evals.json',
        describe: 'suite of the skills: a file or folder',
      },
    })
    .options({ changed: commonFlags.changed })
    .options({
      'fail-on': {
        choices: ['error', 'warning'] as const,
        default: 'error' as const,
        requiresArg: true,
        describe: 'exit 1 from this severity on',
      },
      null: { ...onOff, describe: 'also grade an empty answer per case: it must fail' },
      oracle: { ...onOff, describe: "also grade each case's reference answer: it must pass" },
      overlap: { ...onOff, describe: 'also compare the descriptions of all skills (no model)' },
      critique: { ...text, describe: 'suggest edits to the suite from this benchmark (no model)' },
      judge: { ...text, defaultDescription: 'none', describe: 'judge for --null and --oracle: engine[:model]' },
    })
    .options({ ...sandboxFlags, backend: commonFlags.backend })
    .usage(
      '$0 check <skill..> [options]\n       $0 check --critique <benchmark> [skill]\n\nFind problems in skills and suites, without a model.\n\ndocs/reference/check.md describes every rule. A broken skill does not stop the others.',
    )
    .example('$0 check skills/pdf', 'check a skill and its suite')
    .example('$0 check plugin/skills/pdf --suite plugin', "check a plugin's skill with the plugin's suite")
    .example("$0 check 'skills/*' --fail-on warning", 'check all skills, in CI')
    .example('$0 check skills --overlap', 'find descriptions that an agent may confuse')
    .example(
      '$0 check --critique workspaces/pdf',
      'suggest edits to the suite from the newest benchmark of a workspace',
    )
    .example(
      '$0 check skills/pdf --null --oracle',
      'test that checks accept the reference answer and reject an empty one',
    )
}

export function addCheck(args: Argv, done: SetExitCode): Argv {
  const describe = 'Find problems in skills and suites, without a model'
  return args.command('check [skill..]', describe, checkOptions, async (parsed) => {
    const { skill: skills, judge = null, json, failOn } = parsed
    if (parsed.critique !== undefined) return done(await runCritique(parsed, parsed.critique))
    if (skills.length === 0) throw new UserError('check needs <skill>', 'see whetstone check --help')
    const trials = [...(parsed.null ? (['null'] as const) : []), ...(parsed.oracle ? (['oracle'] as const) : [])]
    if (judge !== null && trials.length === 0) {
      throw new UserError('--judge without --null or --oracle', 'add --null or --oracle')
    }
    const { checkSkills } = await import('./check.ts')
    const { createConfigFinder } = await import('./config_problems.ts')
    const findConfigProblems = createConfigFinder(process.env)
    const request = {
      skills,
      suite: parsed.suite ?? null,
      changed: parsed.changed ?? null,
      trials,
      overlap: parsed.overlap,
      judge,
      sandbox: sandboxWish(parsed),
      backend: parsed.backend,
      findConfigProblems: async (place: string) => findConfigProblems(await locateSkillConfig(place, parsed.suite)),
    }
    const { result } = await withFlow({ json, oneDocument: true, concurrency: 1 }, (context) =>
      checkSkills(request, context),
    )
    done(showProblems(result, { json, failOn }))
  })
}

type CheckArguments = ArgumentsCamelCase<ReturnType<typeof checkOptions> extends Argv<infer T> ? T : never>

async function runCritique(parsed: CheckArguments, benchmark: string): Promise<number> {
  const { skill: skills, judge, json, failOn } = parsed
  if (parsed.suite !== undefined)
    throw new UserError(
      '--critique with --suite (it reads the suite of the benchmark)',
      'pass another suite as <skill>',
    )
  if (parsed.null || parsed.oracle || judge !== undefined)
    throw new UserError('--critique with --null, --oracle or --judge (it reads existing verdicts)', 'leave them out')
  if (skills.length > 1) throw new UserError('--critique with several skills', 'pass one skill, or none')
  const { critiqueBenchmark } = await import('./critique/critique.ts')
  const request = { benchmark, suite: skills[0] ?? null }
  const { result } = await withFlow({ json, concurrency: 1 }, (context) => critiqueBenchmark(request, context))
  return showCritique(result, { json, failOn })
}

/** 0; 1 with --fail-on warning if a finding rests on more than a few runs or an opinion. */
function showCritique(made: Critique, { json, failOn }: { json: boolean; failOn: 'error' | 'warning' }): number {
  const text = json ? jsonText(made, 2) : critiqueLines(made).join('\n')
  process.stdout.write(`${text}\n`)
  const isFailed = failOn === 'warning' && made.findings.some(({ severity }) => severity === 'warning')
  return isFailed ? exitCodes.gateFailed : exitCodes.done
}

function critiqueLines({ benchmark, suite, runs, cases, findings, gone, notes }: Critique): string[] {
  const { bold, dim, green, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const counts = `${cases} ${cases === 1 ? 'case' : 'cases'}, ${runs} graded ${runs === 1 ? 'run' : 'runs'}`
  const ids = [...new Set(findings.map(({ eval_id }) => eval_id))]
  const warned = findings.filter(({ severity }) => severity === 'warning').length
  return [
    `${bold(toSafeLine(problemPath(suite ?? benchmark)))} ${dim(`by ${toSafeLine(path.basename(benchmark))}: ${counts}`)}`,
    ...notes.flatMap((note) => wrapText(`- ${note}`, width).map((line) => yellow(line))),
    ...ids.flatMap((id) => caseLines(findings.filter(({ eval_id }) => eval_id === id))),
    '',
    findings.length === 0
      ? green(
          'nothing to edit: every statement shows a difference between the configurations, and the judge was sure of each',
        )
      : `${findings.length} ${findings.length === 1 ? 'edit' : 'edits'} proposed, ${warned} of them on more than a few runs or an opinion${dim(' (docs/reference/check.md)')}`,
    ...(gone === 0 ? [] : [dim(`${gone} about statements that the suite no longer has, left out`)]),
  ]
}

function caseLines(findings: readonly CritiqueFinding[]): string[] {
  const { bold } = colours(process.stdout)
  const [first] = findings
  if (first === undefined) return []
  return ['', bold(`case ${first.eval_id} (${oneLine(first.eval_name, 60)})`), ...findings.flatMap(findingLines)]
}

function findingLines({ severity, file, at, expectation, message, kind, edit }: CritiqueFinding): string[] {
  const { yellow, cyan, dim } = colours(process.stdout)
  const width = Math.max(40, textWidth(process.stdout) - 10)
  const paint = severity === 'info' ? cyan : yellow
  const where = file === null ? '' : `${path.basename(file)}${at === null ? '' : ` ${at}`}`
  const what = expectation === null ? 'the case' : jsonText(oneLine(expectation, 160))
  const [first = '', ...rest] = [
    ...wrapText(`${where === '' ? '' : `${where}: `}${what} ${message} [${kind}]`, width),
    ...wrapText(`${edit.op.replace('_', ' ')}: ${edit.text}`, width).map((line) => dim(line)),
  ]
  return [`  ${paint(severity.padEnd(7))} ${first}`, ...rest.map((line) => `          ${line}`)]
}

/** 2 if something is unreadable, 1 if a problem is at least as severe as `failOn`, else 0. */
export function showProblems(report: CheckReport, how: { json: boolean; failOn: 'error' | 'warning' }): number {
  const text = how.json ? jsonText(report, 2) : problemReportLines(report).join('\n')
  process.stdout.write(`${text}\n`)
  if (report.skills.some(({ readable }) => !readable)) return exitCodes.usage
  const { error, warning } = report.counts
  return error > 0 || (how.failOn === 'warning' && warning > 0) ? exitCodes.gateFailed : exitCodes.done
}

function problemReportLines({ skills, counts, overlaps, passed_over = [] }: CheckReport): string[] {
  const { bold, dim, green } = colours(process.stdout)
  const groups = skills.flatMap(({ path: place, problems, commands = [], tasks = [] }) => [
    bold(toSafeLine(problemPath(place))),
    ...(problems.length === 0 ? [`  ${green('no problem')}`] : []),
    ...problems
      .filter(({ rule }) => tasks.length === 0 || rule !== 'unsound-task')
      .flatMap((one) => problemLines(one, place)),
    ...taskLines(tasks),
    ...commandLines(commands, null).map((line) => `  ${line}`),
    '',
  ])
  const parts = [formatPlural(counts.error, 'error'), formatPlural(counts.warning, 'warning'), `${counts.info} info`]
  const over = passed_over.map(({ path: place, reason }) => dim(toSafeLine(`ignored ${problemPath(place)}: ${reason}`)))
  return [
    ...groups,
    ...over,
    ...(overlaps === undefined ? [] : [...overlapLines(overlaps), '']),
    `${formatPlural(skills.length, 'skill')}: ${parts.join(', ')}${dim(adaptText(' (docs/reference/check.md lists the rules)'))}`,
  ]
}

function problemLines(one: Problem, place: string): string[] {
  const { red, yellow, cyan, dim } = colours(process.stdout)
  const paint: Record<Severity, (text: string) => string> = { error: red, warning: yellow, info: cyan }
  const inside = path.relative(place, one.file)
  const file = inside === '' || inside.startsWith('..') ? path.basename(one.file) : inside
  const where = `${file}${one.line === null ? '' : `:${one.line}`}${one.at === null ? '' : ` ${one.at}`}`
  return [
    `  ${paint[one.severity](one.severity.padEnd(7))} ${toSafeLine(where)}: ${toSafeLine(one.message)} ${dim(`[${one.rule}]`)}`,
    `          ${dim(adaptText(toSafeLine(one.fix)))}`,
  ]
}

function problemPath(place: string): string {
  const relative = path.relative(process.cwd(), place)
  return relative === '' || relative.startsWith('..') ? place : relative
}

/** Empty without a task. */
function taskLines(tasks: readonly TriedTask[]): string[] {
  if (tasks.length === 0) return []
  const { green, red, dim } = colours(process.stdout)
  const width = Math.min(40, Math.max(...tasks.map(({ name }) => name.length), 4))
  const rows = tasks.map((one) => {
    const name = toSafeLine(one.name).padEnd(width)
    const rewards = `${rewardText(one.oracle)}  ${rewardText(one.null)}`
    if (one.sound) return `  ${green('sound    ')}  ${name}  ${rewards}`
    return `  ${red('not sound')}  ${name}  ${rewards}  ${dim(toSafeLine(one.reason ?? ''))}`
  })
  const sound = tasks.filter((one) => one.sound).length
  return [
    dim(`  ${' '.repeat(9)}  ${'task'.padEnd(width)}  oracle  null`),
    ...rows,
    `  ${sound} of ${tasks.length} tasks ${sound === 1 ? 'is' : 'are'} sound on this machine`,
  ]
}

/** A dash: not tried, or without a reward. */
function rewardText(trial: TaskTrial | undefined): string {
  const reward = trial?.reward ?? null
  return (reward === null ? '–' : String(Math.round(reward * 100) / 100)).padEnd(6)
}
