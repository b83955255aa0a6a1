/** What the tools of the MCP server ask for, read as a command line: the same defaults, checks and configuration files as the commands. */
import pLimit from 'p-limit'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { UserPrices } from '../../../schemas/prices.ts'
import { UserError } from '../../base/errors/error.ts'
import { benchOptions, buildBenchRequest } from '../../cli/commands/bench/request.ts'
import { buildCompareRequest, compareOptions } from '../../cli/commands/compare/command.ts'
import { buildImproveRequest, improveOptions } from '../../cli/commands/improve/command.ts'
import { type ConfiguredArguments, configureCommand, parseCommandLine } from '../../cli/config/configure.ts'
import { locateBenchmarkConfig, locateSkillConfig } from '../../cli/config/configured_command.ts'
import { readChosenPrices } from '../../cli/prices_file.ts'

interface Words<T> {
  command: string
  usage: string
  options: (args: Argv) => Argv<T>
  argv: readonly string[]
  /** The first folder to search for a configuration file. */
  locate: (args: ArgumentsCamelCase<T>) => Promise<string>
}

/** The file of --prices is remembered for the whole program, so that requests are read one after the other. */
const oneAtATime = pLimit(1)

async function readWords<T>({ locate, ...words }: Words<T>): Promise<ConfiguredArguments<T>['args']> {
  const args = await parseCommandLine(words, [])
  const start = await locate(args)
  return (await configureCommand({ ...words, args, start, confirmElsewhere })).args
}

const confirmElsewhere =
  'a person can confirm them once: start whetstone bench <skill> --dry-run in a terminal (improve or compare for their own sections)'

/** What each returns: the request, and the prices that the user gave. */
async function withPrices<R>(request: R): Promise<{ request: R; prices: UserPrices | undefined }> {
  return { request, prices: await readChosenPrices() }
}

/** `argv`: as after the program's name, such as bench <skill> --runs=3. Each throws UserError. */
export const mcpRequests = {
  bench: (argv: readonly string[]) => oneAtATime(() => readBench(argv)),
  compare: (argv: readonly string[]) => oneAtATime(() => readCompare(argv)),
  improve: (argv: readonly string[]) => oneAtATime(() => readImprove(argv)),
}

async function readBench(argv: readonly string[]) {
  const args = await readWords({
    ...{ command: 'bench', usage: 'bench <skill..>', options: benchOptions, argv },
    locate: ({ skill, suite }) => locateSkillConfig(skill[0] ?? '', suite),
  })
  if (args.matrix !== undefined) throw new UserError('a configuration file sets a matrix', 'pass engine')
  return await withPrices({ ...buildBenchRequest(args), skill: args.skill[0] ?? '' })
}

async function readCompare(argv: readonly string[]) {
  const args = await readWords({
    ...{ command: 'compare', usage: 'compare <benchmark> [other]', options: compareOptions, argv },
    locate: ({ benchmark }) => locateBenchmarkConfig(benchmark),
  })
  return await withPrices(buildCompareRequest(args))
}

async function readImprove(argv: readonly string[]) {
  const args = await readWords({
    ...{ command: 'improve', usage: 'improve <skill>', options: improveOptions, argv },
    locate: ({ skill, suite }) => locateSkillConfig(skill, suite),
  })
  return await withPrices({ ...buildImproveRequest(args), review: null })
}
