/** `whetstone audit`: people look at a sample of what the judge decided. */
import type { Argv } from 'yargs'
import { UserError } from '../../base/error.ts'
import { exitCodes } from '../exit.ts'
import { type Done, wholeNumber, withFlow, withJson } from './shared.ts'

function auditOptions(args: Argv) {
  return withJson(args)
    .positional('workspace', {
      type: 'string',
      demandOption: true,
      describe: 'a workspace (its newest benchmark is audited) or a benchmark folder',
    })
    .options({
      sample: {
        type: 'number',
        requiresArg: true,
        default: 10,
        coerce: percentage,
        describe: 'per cent of the decisions of each verdict in each arm, at least one of each',
      },
      seed: {
        type: 'number',
        requiresArg: true,
        default: 1,
        coerce: wholeNumber('seed', 0, 2 ** 31),
        describe: 'draws the sample',
      },
      label: {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        describe: 'ID=agree, ID=disagree or ID=undo, without a terminal (repeatable)',
      },
      import: {
        type: 'string',
        requiresArg: true,
        describe: 'lines that a report page gave away (audit_lines.jsonl); those known already are passed over',
      },
    })
    .usage(
      '$0 audit <workspace> [options]\n\nlook at a sample of what the judge decided, and say whether you agree\n\nOn a terminal: y agree, n disagree, s skip, u undo, q quit. What you say is\nappended to audit_log.jsonl; kappa, sensitivity, specificity and corrected rates\ngo into benchmark.json.',
    )
    .example('$0 audit workspaces/pdf', 'a tenth of the newest benchmark')
    .example('$0 audit workspaces/pdf --json', 'the sample with ids, for an agent or a script')
    .example('$0 audit workspaces/pdf --label 3f2a9c0b1d4e=disagree', 'without a terminal')
    .example('$0 audit workspaces/pdf --import audit_lines.jsonl', 'what was marked in report.html')
}

function percentage(value: unknown): number {
  if (typeof value === 'number' && value > 0 && value <= 100) return value
  throw new UserError('--sample: not a number above 0 and up to 100', 'give per cent, such as --sample 10')
}

export function addAudit(args: Argv, done: Done): Argv {
  return args.command(
    'audit <workspace>',
    'look at what the judge decided, and say whether you agree',
    auditOptions,
    async ({ workspace, sample, seed, label, json, import: from }) => {
      const [{ openAudit, summarizeAudit }, { importLabels }, { auditLines, listed, said }, { ask, canAsk }] =
        await Promise.all([
          import('../../flows/audit.ts'),
          import('../../flows/label.ts'),
          import('../show_audit.ts'),
          import('../ask_audit.ts'),
        ])
      const audit = await openAudit({ place: workspace, share: sample / 100, seed })
      const before = audit.labels.size
      const imported = from === undefined ? 0 : await importLabels(audit, from)
      const told = imported + (await said(audit, label))
      const isSaying = from !== undefined || label.length > 0
      const isAsking = !isSaying && !json && canAsk()
      const answered = isAsking
        ? await ask(audit, { input: process.stdin, output: process.stdout })
        : { said: 0, interrupted: false }
      const isNews = told + answered.said > 0 || before > 0
      const flow = (context: Parameters<typeof summarizeAudit>[1]) => summarizeAudit(audit, context)
      const summary = isNews ? (await withFlow({ json, concurrency: 1 }, flow)).result : null
      const lines = json || (!isSaying && !isAsking) ? listed(audit, json) : []
      process.stdout.write([...lines, ...auditLines(audit, summary, json)].map((line) => `${line}\n`).join(''))
      done(answered.interrupted ? exitCodes.interrupted : exitCodes.done)
    },
  )
}
