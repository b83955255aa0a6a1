/** Prints the drafts or the plan of `init`; returns the exit code. */
import path from 'node:path'
import { jsonText } from '../../../base/json/json_text.ts'
import { typedCommand } from '../../../base/package_root.ts'
import type { InitPlan, InitResult } from '../../../flows/init/init.ts'
import { chooseExitCode } from '../../exit_codes.ts'
import { alignColumns, colours, dollarsText, oneLine, textWidth, toSafeLine, wrapText } from '../../terminal/style.ts'

/** 0; 3 if there are fewer drafts than requested, 130 after Ctrl-C. */
export function showInit(
  made: InitResult,
  { json, interrupted, next = [] }: { json: boolean; interrupted: boolean; next?: readonly string[] },
): number {
  const code = chooseExitCode({ interrupted, incomplete: made.missing !== null })
  process.stdout.write(`${json ? jsonLine(made, code) : [...resultLines(made), ...next].join('\n')}\n`)
  return code
}

/** The next steps for the author of a grown suite. */
export function nextAfterGrowth(skill: string, { file }: InitResult): string[] {
  return [
    `Then: ${typedCommand()} improve ${initPath(path.resolve(skill))} --suite ${initPath(file)}`,
    'Until then improve skips the drafts. The existing suite is unchanged.',
  ]
}

function jsonLine(
  { file, root, evals, files, leftOut, problems, missing, spent, choice, warnings }: InitResult,
  code: number,
) {
  return jsonText({
    type: 'result',
    exit_code: code,
    ...{ file, evals, problems, missing, warnings },
    files: files.map((one) => path.join(root, one.path)),
    left_out: leftOut,
    drafted_by: { engine: choice.name, model: spent.model ?? choice.model },
    calls: spent.calls,
    tokens: spent.tokens,
    cost_usd: spent.costUsd,
  })
}

function resultLines(made: InitResult): string[] {
  const { bold, dim, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const rows = made.evals.map((one) => [
    String(one.id),
    oneLine(one.name ?? '', 40),
    String(one.files?.length ?? 0),
    String(one.expectations?.length ?? 0),
    String(one.checks?.length ?? 0),
  ])
  const [head = '', ...table] = alignColumns([['id', 'case', 'files', 'expectations', 'checks'], ...rows], [0, 2, 3, 4])
  const say = (text: string) => wrapText(`- ${text}`, width).map((line) => yellow(line))
  const leftOut = made.leftOut.map(({ name, reason }) => `left out ${oneLine(name, 60)}: ${oneLine(reason, 300)}`)
  const missing =
    made.missing === null
      ? []
      : [`INCOMPLETE: ${made.evals.length} of ${made.wanted} cases were drafted: ${made.missing}`]
  return [
    ...missing.map((line) => yellow(bold(toSafeLine(line)))),
    dim(head),
    ...table,
    '',
    ...made.warnings.flatMap(say),
    ...few(leftOut).flatMap(say),
    ...few(made.problems.map((one) => `warning: ${oneLine(one, 300)}`)).flatMap(say),
    dim(spentText(made)),
    `${dim('wrote')} ${initPath(made.file)}${made.files.length === 0 ? '' : ` and ${made.files.length} in ${initPath(path.join(made.root, 'evals/files'))}`}`,
    ...wrapText(
      `These are drafts by a model. Read each case and its files, fix or remove it, and delete its "review": "draft"; ${typedCommand()} check lists what is left.`,
      width,
    ),
  ]
}

const mostShown = 8

function few(lines: readonly string[]): string[] {
  const hidden = lines.length - mostShown
  return hidden > 1 ? [...lines.slice(0, mostShown), `and ${hidden} more like these; --json has them all`] : [...lines]
}

function spentText({ spent }: InitResult): string {
  return [
    spent.costUsd === null ? 'cost not known' : dollarsText(spent.costUsd),
    ...(spent.tokens === null ? [] : [`${spent.tokens.toLocaleString('en-US')} tokens`]),
    `${spent.calls} ${spent.calls === 1 ? 'question' : 'questions'}`,
  ].join(' · ')
}

/** Prints the plan for --dry-run. */
export function showInitPlan(plan: InitPlan, json: boolean): void {
  const { skill, file, choice, choices, cases, answers, characters, estimate, warnings } = plan
  const by = [choice.name, choice.model].filter(Boolean).join(':')
  if (json) {
    const line = {
      type: 'plan',
      skill_name: skill.name,
      file,
      cases,
      questions: answers,
      characters,
      estimate: { cost_usd: estimate.usd, tokens: estimate.tokens },
      warnings,
      choices,
    }
    process.stdout.write(`${jsonText({ ...line, engine: choice.name, model: choice.model })}\n`)
    return
  }
  const lines = [
    ...choices,
    ...warnings.map((one) => `warning: ${one}`),
    `${cases} cases for ${skill.name}, drafted by ${by} in ${answers} ${answers === 1 ? 'question' : 'questions'} of about ${characters.toLocaleString('en-US')} characters`,
    estimateLine(estimate),
    `would write ${initPath(file)}; no model was asked`,
  ]
  process.stdout.write(`${lines.map(toSafeLine).join('\n')}\n`)
}

function estimateLine({ usd, tokens }: InitPlan['estimate']): string {
  const money = usd === null ? 'unknown cost (name a model that has a known price)' : dollarsText(usd)
  return `estimate  ${money}, about ${tokens.toLocaleString('en-US')} tokens, from the length of questions and answers, without repeated answers and what an agent CLI adds`
}

/** As a user can type it. */
export function initPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return toSafeLine(relative === '' || relative.startsWith('..') ? file : relative)
}
