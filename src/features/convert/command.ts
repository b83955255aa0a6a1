/** `whetstone convert`: writes a skill's suite of any format as evals.json or as Harbor tasks. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { jsonText } from '../../base/json/json_text.ts'
import { type SetExitCode, withJson } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { toSafeLine } from '../../cli/terminal/style.ts'

function convertOptions(args: Argv) {
  return withJson(args)
    .positional('path', { type: 'string', demandOption: true, describe: 'suite with cases about a skill' })
    .options({
      format: { type: 'string', requiresArg: true, defaultDescription: 'detected', describe: 'format of the suite' },
      to: {
        choices: ['skill-creator', 'agentskills', 'harbor'] as const,
        default: 'skill-creator' as const,
        describe: 'evals.json with expectations or assertions, or Harbor tasks',
      },
      output: {
        type: 'string',
        alias: 'o',
        requiresArg: true,
        defaultDescription: 'evals/evals.json of the skill',
        describe: 'file to write (-: stdout); for harbor a new folder',
      },
      force: { type: 'boolean', default: false, describe: 'overwrite an existing file' },
    })
    .usage(
      '$0 convert <suite> [options]\n\nWrite a suite of any format as evals.json or as Harbor tasks.\n\nPrints what cannot be converted. Formats: docs/reference/formats.md.',
    )
    .example('$0 convert skills/greeter/EVAL.md', 'write an EVAL.md as evals/evals.json')
    .example('$0 convert skills/pdf/evals/evals.json --to agentskills -o -', 'print the other dialect')
    .example('$0 convert skills/pdf --to harbor -o pdf-tasks', 'write a Harbor task per case')
}

export function addConvert(args: Argv, done: SetExitCode): Argv {
  const what = 'write a suite of any format as evals.json or as Harbor tasks'
  return args.command('convert <path>', what, convertOptions, async ({ format = null, output = null, ...parsed }) => {
    const { convert } = await import('./convert.ts')
    const { path: place, to, force, json } = parsed
    const { file, text, lost, ...made } = await convert({ path: place, format, to, output, force })
    if (json) {
      const written = { type: 'result', exit_code: exitCodes.done, file, lost, ...made }
      process.stdout.write(`${jsonText(written)}\n`)
      return done(exitCodes.done)
    }
    if (file === null) process.stdout.write(text)
    const cases = `${made.cases} ${made.cases === 1 ? 'case' : 'cases'} of ${made.skill_name}`
    const wrote = file === null ? [cases] : [`${cases}: ${path.relative(process.cwd(), file) || file}`]
    const lines = [...wrote, ...lost.map((what) => `does not carry over: ${what}`)]
    process.stderr.write(lines.map((line) => `${toSafeLine(line)}\n`).join(''))
    done(exitCodes.done)
  })
}
