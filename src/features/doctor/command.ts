/** `whetstone doctor`: checks that everything a benchmark needs is there. */
import type { Argv } from 'yargs'
import { jsonText } from '../../base/json/json_text.ts'
import { typedCommand } from '../../base/package_root.ts'
import { onOff, text } from '../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { colours, toSafeLine } from '../../cli/terminal/style.ts'
import { autoOrder } from '../../engines/models/first_available.ts'
import type { DoctorReport } from './doctor.ts'
import type { DoctorFinding } from './machine.ts'

function doctorOptions(args: Argv) {
  return args
    .options({
      engine: {
        ...text,
        defaultDescription: 'all',
        describe: 'check only this engine: name[:model], command:<program> or acp:<agent>',
      },
      workspace: { ...text, defaultDescription: './workspaces', describe: 'folder for results' },
      json: { ...onOff, describe: 'print the findings as one JSON line' },
    })
    .usage(
      '$0 doctor [options]\n\nCheck that this machine has what a benchmark needs.\n\nChecks Node, engines, credentials (never their values), sandbox, git and disk, with a fix for each problem. Exit 0 if an engine is available, else 1. Costs nothing.',
    )
    .example('$0 doctor', 'run before the first benchmark')
    .example('$0 doctor --engine "command:./agent.sh {prompt}"', 'check that my own agent starts')
}

export function addDoctor(args: Argv, done: SetExitCode): Argv {
  const describe = 'Check that this machine has what a benchmark needs'
  return args.command('doctor', describe, doctorOptions, async ({ engine = null, workspace = null, json }) => {
    const { doctor } = await import('./doctor.ts')
    const { result } = await withFlow({ json, concurrency: 1 }, (context) => doctor({ engine, workspace }, context))
    const code = result.ok ? exitCodes.done : exitCodes.gateFailed
    const lines = json ? [jsonText({ type: 'doctor', exit_code: code, ...result })] : reportLines(result)
    process.stdout.write(`${lines.join('\n')}\n`)
    done(code)
  })
}

function reportLines(report: DoctorReport): string[] {
  const { findings } = report
  const { bold } = colours(process.stdout)
  const width = Math.max(...findings.map(({ name }) => name.length))
  return [...findings.flatMap((finding) => findingLines(finding, width)), '', bold(endLine(report))]
}

/** The conclusion: whether an engine works, and if none does, what prevents it. */
function endLine({ working, lacking, findings }: DoctorReport): string {
  const [first] = working
  const limited = findings.find(({ name, state }) => name.startsWith('engine ') && state === 'warning')
  if (first === undefined && limited !== undefined) return `No engine works yet; see the warning on ${limited.name}.`
  if (first === undefined) return `No engine can work yet; \`${typedCommand()} demo\` needs none.`
  if (lacking.length > 0) return `${first} can work; what is missing for a benchmark: ${lacking.join(', ')}.`
  if (working.some((name) => name === 'command' || autoOrder.includes(name))) return 'An engine can work.'
  const [count, them] = working.length === 1 ? ['One engine works', 'it'] : [`${working.length} engines work`, 'one']
  return `${count} if you name ${them}: --engine ${working.join(' or ')}.`
}

function findingLines({ name, state, detail, fix }: DoctorFinding, width: number): string[] {
  const { green, yellow, red, dim } = colours(process.stdout)
  const colour = { ok: green, warning: yellow, missing: red }[state]
  const indent = ' '.repeat(9 + width + 2)
  const line = `${colour(state.padEnd(9))}${name.padEnd(width)}  ${toSafeLine(detail)}`
  return fix === null ? [line] : [line, dim(`${indent}${toSafeLine(fix)}`)]
}
