/** What the parser of a flag says of values that its command reads only later: a file's mistake is told with its line. */
import { messageOf, UserError } from '../../base/error.ts'
import type { FileMistake } from './file_mistakes.ts'
import type { ConfiguredCommand } from './keys.ts'
import type { Setting } from './read.ts'

type Parse = (value: string, command: ConfiguredCommand) => unknown

const parsers: Readonly<Record<string, Parse>> = {
  engine: async (engine) => (await import('../../engines/models.ts')).resolveEngineChoice({ engine, model: null }),
  judge: async (text) => {
    const [{ isJudgeList }, { resolveJudgeChoice }] = await Promise.all([
      import('../../engines/judge_choice.ts'),
      import('../../engines/models.ts'),
    ])
    for (const one of isJudgeList(text) ? text.split(',') : [text]) resolveJudgeChoice(one)
  },
  matrix: async (text) => (await import('../../flows/matrix.ts')).matrixCells(text),
  deadline: async (text) => (await import('../deadline.ts')).deadlineOf(text, new Date()),
  gate: async (text, command) => {
    const [{ parseGate }, { ofTriggers }] = await Promise.all([
      import('../../phases/4-report/gate/parse.ts'),
      import('../../phases/4-report/gate/subject.ts'),
    ])
    return command === 'triggers' ? parseGate(text, ofTriggers) : parseGate(text)
  },
  reporter: async (text) => (await import('../reporters.ts')).reportersOf([text]),
}

/** A mistake of each value that its flag refuses. */
export async function refusedValues(command: ConfiguredCommand, settings: readonly Setting[]): Promise<FileMistake[]> {
  const found: FileMistake[] = []
  for (const { key, line, values } of settings) {
    for (const value of values) {
      try {
        await parsers[key]?.(value, command)
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        found.push({
          line,
          text: `${key}: ${messageOf(error).replace(new RegExp(`^--${key}:? `), '')}`,
          fix: error.fix,
        })
      }
    }
  }
  return found
}
