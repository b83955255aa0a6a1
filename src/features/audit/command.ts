/** `whetstone audit`: people review a sample of the judge's decisions. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { type SetExitCode, withFlow, withJson } from '../../cli/commands/options/run_flow.ts'
import { applyConfig, locateBenchmarkConfig } from '../../cli/config/configured_command.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { toSafeLine } from '../../cli/terminal/style.ts'
import { loadFormatSteps } from '../../flows/format_steps.ts'
import { resolveBenchmarkFolder } from '../../flows/report/read_benchmark.ts'
import { suiteFormats } from '../../phases/1-plan/formats/table.ts'
import { auditFlags } from './options.ts'

function auditOptions(args: Argv) {
  return withJson(args)
    .positional('workspace', {
      type: 'string',
      demandOption: true,
      describe: 'workspace (its newest benchmark), benchmark folder, or folder of an Atomic Agent',
    })
    .options(auditFlags)
    .usage(
      '$0 audit <workspace> [options]\n\nReview a sample of the decisions of the judge.\n\nOn a terminal: y agree, n disagree, s skip, u undo, q quit. Reviews are appended to audit_log.jsonl; kappa, sensitivity, specificity and corrected rates go into benchmark.json.',
    )
    .example('$0 audit workspaces/pdf', 'review a tenth of the newest benchmark')
    .example('$0 audit workspaces/pdf --json', 'print the sample with ids, for a script')
    .example('$0 audit workspaces/pdf --label 3f2a9c0b1d4e=disagree', 'record a review without a terminal')
    .example('$0 audit workspaces/pdf --import audit_lines.jsonl', 'import the reviews from report.html')
}

export function addAudit(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'audit <workspace>'
  const what = 'look at what the judge decided, and say whether you agree'
  return args.command(usage, what, auditOptions, async (given) => {
    const { importLabels, openAudit, summarizeAudit } = await import('./audit.ts')
    const place = path.resolve(given.workspace)
    const own = await listOwnLines(place)
    if (own !== null) {
      process.stdout.write(own.map((line) => `${toSafeLine(line)}\n`).join(''))
      return done(exitCodes.done)
    }
    const folder = await resolveBenchmarkFolder(place)
    const request = { command: 'audit', usage, options: auditOptions, argv, args: given } as const
    const parsed = await applyConfig(folder, { ...request, start: await locateBenchmarkConfig(folder) })
    if (parsed === null) return done(exitCodes.done)
    const { applyLabels, askAudit, auditLines, canAsk, sampleLines } = await import('./ask.ts')
    const { sample, seed, label, json, import: from } = parsed
    const audit = await openAudit({ folder, share: sample / 100, seed })
    const before = audit.labels.size
    const imported = from === undefined ? 0 : await importLabels(audit, from)
    const told = imported + (await applyLabels(audit, label))
    const isSaying = from !== undefined || label.length > 0
    const isAsking = !isSaying && !json && canAsk()
    const answered = isAsking
      ? await askAudit(audit, { input: process.stdin, output: process.stdout })
      : { said: 0, interrupted: false }
    const isNews = told + answered.said > 0 || before > 0
    const flow = (context: Parameters<typeof summarizeAudit>[1]) => summarizeAudit(audit, context)
    const benchmark = isNews ? (await withFlow({ json, concurrency: 1 }, flow)).result : null
    const lines = json || (!isSaying && !isAsking) ? sampleLines(audit, json) : []
    process.stdout.write([...lines, ...auditLines(audit, benchmark, json)].map((line) => `${line}\n`).join(''))
    done(answered.interrupted ? exitCodes.interrupted : exitCodes.done)
  })
}

/** Of a folder with a suite whose format keeps its own record of reviews; null: it is none. */
async function listOwnLines(folder: string): Promise<readonly string[] | null> {
  for (const [name, format] of Object.entries(suiteFormats)) {
    const { auditLines } = await loadFormatSteps(name)
    const suite = auditLines === undefined ? null : await format.find(folder)
    if (auditLines !== undefined && suite !== null) return auditLines((await format.rootOf?.(suite)) ?? folder)
  }
  return null
}
