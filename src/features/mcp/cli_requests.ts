/** What the tools of the MCP server ask for, read as a command line: the same defaults, checks and configuration files as the commands. */
import pLimit from 'p-limit'
import type { UserPrices } from '../../../schemas/prices.ts'
import { UserError } from '../../base/errors/error.ts'
import { benchOptions, buildBenchRequest } from '../../cli/commands/bench/request.ts'
import { buildImproveRequest, improveOptions } from '../../cli/commands/improve/command.ts'
import { readConfiguredWords } from '../../cli/config/configure.ts'
import { locateSkillConfig } from '../../cli/config/configured_command.ts'
import { readChosenPrices } from '../../cli/prices_file.ts'
import { mcpWork } from '../../flows/mcp_tools.ts'

/** The file of --prices is remembered for the whole program, so that requests are read one after the other. */
const oneAtATime = pLimit(1)

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
  const args = await readConfiguredWords({
    ...{ command: 'bench', usage: 'bench <skill..>', options: benchOptions, argv },
    locate: ({ skill, suite }) => locateSkillConfig(skill[0] ?? '', suite),
  })
  if (args.matrix !== undefined) throw new UserError('a configuration file sets a matrix', 'pass engine')
  return await withPrices({ ...buildBenchRequest(args), skill: args.skill[0] ?? '' })
}

async function readCompare(argv: readonly string[]) {
  const open = await mcpWork.compare?.()
  if (open === undefined) throw new UserError('this Whetstone has no command compare', 'pass another kind')
  return await withPrices(await open(argv))
}

async function readImprove(argv: readonly string[]) {
  const args = await readConfiguredWords({
    ...{ command: 'improve', usage: 'improve <skill>', options: improveOptions, argv },
    locate: ({ skill, suite }) => locateSkillConfig(skill, suite),
  })
  return await withPrices({ ...buildImproveRequest(args), review: null })
}
