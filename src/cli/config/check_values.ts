/** Checks a file's values with the flags' own parsers, so that a mistake is reported with its line. */
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { isJudgeList } from '../../engines/models/judge_choice.ts'
import { resolveEngineChoice, resolveJudgeChoice } from '../../engines/models/resolve_model.ts'
import { featureCommands } from '../../features/table.ts'
import { parseGate } from '../../phases/4-report/gate/parse_gate.ts'
import { parseMatrix } from '../commands/bench/several.ts'
import { parseDeadline } from '../commands/options/limit_flags.ts'
import { parseReporters } from '../reporters/reporters.ts'
import type { FileMistake, Setting } from './read_config.ts'

type Parse = (value: string, command: string) => unknown

const parsers: Readonly<Record<string, Parse>> = {
  engine: (engine) => resolveEngineChoice({ engine, model: null }),
  judge: (text) => {
    for (const one of isJudgeList(text) ? text.split(',') : [text]) resolveJudgeChoice(one)
  },
  user: resolveJudgeChoice,
  matrix: parseMatrix,
  deadline: (text) => parseDeadline(text, new Date()),
  gate: async (text, command) => parseGate(text, await featureCommands[command]?.gates?.()),
  reporter: (text) => parseReporters([text]),
}

export async function findRefusedValues(command: string, settings: readonly Setting[]): Promise<FileMistake[]> {
  const found: FileMistake[] = []
  for (const { key, line, values } of settings) {
    for (const value of values) {
      try {
        await parsers[key]?.(value, command)
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        found.push({
          line,
          text: `${key}: ${errorMessage(error).replace(new RegExp(`^--${key}:? `), '')}`,
          fix: error.fix,
        })
      }
    }
  }
  return found
}
