/** `whetstone diff`: what changed between two benchmarks, and how sure that is. */
import type { Argv } from 'yargs'
import { exitCodes } from '../exit.ts'
import { type Done, withJson } from './shared.ts'

function diffOptions(args: Argv) {
  return withJson(args)
    .positional('before', {
      type: 'string',
      demandOption: true,
      describe: 'a benchmark folder, a workspace (its newest benchmark) or a benchmark.json',
    })
    .positional('after', { type: 'string', demandOption: true, describe: 'likewise' })
    .option('arm', {
      choices: ['candidate', 'baseline'] as const,
      default: 'candidate' as const,
      describe: 'which arm of both: the one with the skill (or its new version), or the other',
    })
    .option('markdown', { type: 'boolean', default: false, describe: 'as Markdown, for a pull request' })
    .option('fail-on', {
      choices: ['regression'] as const,
      requiresArg: true,
      describe: 'exit 1 when a case regressed, or all of them together did',
    })
    .usage(
      '$0 diff <before> <after> [options]\n\nwhat changed between two benchmarks, and how sure that is\n\nCases are matched by their key in the suite, else by name. What differs in the plans comes first.',
    )
    .example('$0 diff workspaces/pdf/benchmarks/2026-01-15T10-30-00Z workspaces/pdf', 'an older one against the newest')
    .example('$0 diff main.json branch.json --markdown', 'for a pull request')
    .example('$0 diff <before> <after> --arm baseline', 'did the model itself change?')
}

export function addDiff(args: Argv, done: Done): Argv {
  return args.command('diff <before> <after>', 'compare two benchmarks', diffOptions, async (parsed) => {
    const { diff } = await import('../../flows/diff.ts')
    const { before, after, arm, json, markdown, failOn } = parsed
    const made = await diff({ before, after, arm })
    const { diffLines } = await import('../show_diff.ts')
    const { diffMarkdown } = await import('../../phases/4-report/diff_text.ts')
    const text = json ? `${JSON.stringify(made)}\n` : markdown ? diffMarkdown(made) : `${diffLines(made).join('\n')}\n`
    process.stdout.write(text)
    const isWorse =
      made.cases.some(({ change }) => change === 'regressed') || made.scopes?.these_cases.verdict === 'hurts'
    done(failOn === 'regression' && isWorse ? exitCodes.gateFailed : exitCodes.done)
  })
}
