/** `whetstone convert`: writes a skill's suite of any format as evals.json. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { jsonText } from '../../../base/json/json_text.ts'
import { exitCodes } from '../../exit_codes.ts'
import { toSafeLine } from '../../terminal/style.ts'
import { type SetExitCode, withJson } from '../options/run_flow.ts'

function convertOptions(args: Argv) {
  return withJson(args)
    .positional('path', { type: 'string', demandOption: true, describe: 'a suite whose cases are about a skill' })
    .options({
      format: { type: 'string', requiresArg: true, describe: 'the format of the suite; found by itself if not given' },
      to: {
        choices: ['skill-creator', 'agentskills'] as const,
        default: 'skill-creator' as const,
        describe: 'the dialect of evals.json: expectations, or assertions',
      },
      output: {
        type: 'string',
        alias: 'o',
        requiresArg: true,
        describe: 'the file to write; - for stdout; evals/evals.json of the skill if not given',
      },
      force: { type: 'boolean', default: false, describe: 'replace a file that is there' },
    })
    .usage(
      '$0 convert <suite> [options]\n\nwrite a suite of any format as evals.json\n\nSays what does not carry over. Formats: docs/reference/formats.md.',
    )
    .example('$0 convert skills/greeter/EVAL.md', 'an EVAL.md as evals/evals.json of its skill')
    .example('$0 convert skills/pdf/evals/evals.json --to agentskills -o -', 'the other dialect, on stdout')
}

export function addConvert(args: Argv, done: SetExitCode): Argv {
  const what = 'write a suite of any format as evals.json'
  return args.command('convert <path>', what, convertOptions, async ({ format = null, output = null, ...parsed }) => {
    const { convert } = await import('../../../flows/convert/convert.ts')
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
