/** Parses argv, runs the command, and is the one place where errors become lines and exit codes. */
import yargs, { type Argv } from 'yargs'
import { codeOf, messageOf } from '../base/error.ts'
import { addAggregate } from './commands/aggregate.ts'
import { addAnalyze } from './commands/analyze.ts'
import { addAudit } from './commands/audit.ts'
import { addBench } from './commands/bench.ts'
import { addCache } from './commands/cache.ts'
import { addCheck } from './commands/check.ts'
import { addCompare } from './commands/compare.ts'
import { addConvert } from './commands/convert.ts'
import { addDemo } from './commands/demo.ts'
import { addDiff } from './commands/diff.ts'
import { addDoctor } from './commands/doctor.ts'
import { addEval } from './commands/eval.ts'
import { addGrade } from './commands/grade.ts'
import { addImprove } from './commands/improve.ts'
import { addInit } from './commands/init.ts'
import { addPractice } from './commands/practice.ts'
import { addQueue } from './commands/queue.ts'
import { addTest } from './commands/test.ts'
import { addTriggers } from './commands/triggers.ts'
import { addView } from './commands/view.ts'
import { withPlace } from './config/from_file.ts'
import { codeFor, fixOf } from './error_code.ts'
import { exitCodes, exitHelp } from './exit.ts'
import { againUnless, goingOn } from './interrupt.ts'
import { lastResort } from './last_resort.ts'
import { checkNumbers, checkSwitches, checkValues, type KnownOptions, mistakeOf } from './mistakes.ts'
import { watchOutput } from './output.ts'
import { terminalWidth } from './terminal_size.ts'

/** Gives the exit code; never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  const outcome: { code: number } = { code: exitCodes.done }
  const isOutputLost = watchOutput()
  using _ = lastResort((error) => report(error, argv))
  try {
    checkSwitches(argv)
    await parser(argv, (code) => {
      outcome.code = code
    }).parseAsync()
    return outcome.code === exitCodes.done && isOutputLost() ? exitCodes.incomplete : outcome.code
  } catch (error) {
    return await report(withPlace(error), argv)
  }
}

const commands = [
  addBench,
  addCache,
  addEval,
  addTest,
  addGrade,
  addAggregate,
  addCompare,
  addAnalyze,
  addAudit,
  addInit,
  addCheck,
  addTriggers,
  addImprove,
  addView,
  addDiff,
  addDemo,
  addDoctor,
  addQueue,
  addPractice,
  addConvert,
]

function parser(argv: readonly string[], done: (code: number) => void) {
  const program = yargs([...argv])
    .scriptName('whetstone')
    .detectLocale(false)
    .usage('Benchmarks agent skills and sharpens them.\n\n$0 <command> [options]')
  withoutSpareHelp(program)
  withWholeExamples(program)
  withNumbersOnce(program, argv)
  return commands
    .reduce((args, add) => add(args, done, argv), program)
    .demandCommand(1, 'Give a command.')
    .strict()
    .check(checkValues)
    .recommendCommands()
    .version(false)
    .option('version', { type: 'boolean', describe: 'print the version' })
    .help()
    .alias('help', 'h')
    .wrap(Math.min(100, terminalWidth(process.stdout)))
    .epilogue(
      `${exitHelp}\n\nNew here? \`whetstone demo\` runs a whole benchmark on the embedded practice model, no key needed.`,
    )
    .exitProcess(false)
    .fail((message, error) => {
      if (error && error.name !== 'YError') throw error
      throw mistakeOf(error?.message ?? message, argv)
    })
}

interface Usage {
  cacheHelpMessage(): void
  example(command: string, description: string): void
}

interface Internals {
  getInternalMethods(): { getUsageInstance(): Usage }
}

/** yargs breaks an example that is longer than half a line. Here each has a line of its own, below what it is for: it can be copied. */
function withWholeExamples(program: Argv & Partial<Internals>): void {
  const usage = program.getInternalMethods?.().getUsageInstance()
  if (usage === undefined) return
  const { example } = usage
  usage.example = (command, description) => example(`# ${description}\n${command}`, '')
}

/** yargs renders a command's whole help once more when its handler has begun, for a later look: nobody looks, and bench has many flags. */
function withoutSpareHelp(program: Argv & Partial<Internals>): void {
  const usage = program.getInternalMethods?.().getUsageInstance()
  if (usage !== undefined) usage.cacheHelpMessage = () => {}
}

/** Before a flag reads its value: of one given twice it would say that it is no number. */
function withNumbersOnce(program: Argv & Partial<Options>, argv: readonly string[]): void {
  program.middleware(() => {
    const known = program.getOptions?.()
    if (known !== undefined) checkNumbers(argv, known)
  }, true)
}

interface Options {
  getOptions(): KnownOptions
}

function isOn(flag: string, argv: readonly string[]): boolean {
  return argv.includes(`--${flag}`) || argv.includes(`--${flag}=true`)
}

async function report(error: unknown, argv: readonly string[]): Promise<number> {
  const { colours, safe } = await import('./style.ts')
  const code = codeFor(error)
  const json = isOn('json', argv)
  const goesOn = againUnless(isOn('fresh', argv))
  const told = fixOf(error)
  const fix = told === null ? null : goingOn(told, goesOn)
  if (json) {
    const name = codeOf(error)
    const line = {
      type: 'error',
      exit_code: code,
      ...(name === null ? {} : { code: name }),
      message: messageOf(error),
      fix,
    }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  }
  const { red, dim } = colours(process.stderr)
  process.stderr.write(`${red('error')} ${messageOf(error).split('\n').map(safe).join('\n')}\n`)
  if (fix !== null) process.stderr.write(`      ${safe(fix)}\n`)
  if (code === exitCodes.bug && error instanceof Error) {
    process.stderr.write(`${dim(error.stack ?? '')}\nThis is a bug in Whetstone. Finished runs are kept on disk.\n`)
  }
  return code
}
