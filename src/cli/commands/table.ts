/** The commands by name. Each is loaded when it is needed: to load all of them takes longer than most commands. */
import { featureCommands } from '../../features/table.ts'
import type { AddCommand } from './options/run_flow.ts'

const commands: Record<string, () => Promise<AddCommand>> = {
  bench: async () => (await import('./bench/command.ts')).addBench,
  eval: async () => (await import('./eval/command.ts')).addEval,
  grade: async () => (await import('./grade/command.ts')).addGrade,
  aggregate: async () => (await import('./aggregate/command.ts')).addAggregate,
  compare: async () => (await import('./compare/command.ts')).addCompare,
  init: async () => (await import('./init/command.ts')).addInit,
  check: async () => (await import('./check/command.ts')).addCheck,
  improve: async () => (await import('./improve/command.ts')).addImprove,
  view: async () => (await import('./view/command.ts')).addView,
  explain: async () => (await import('./explain/command.ts')).addExplain,
  diff: async () => (await import('./diff/command.ts')).addDiff,
  doctor: async () => (await import('./doctor/command.ts')).addDoctor,
}

for (const [name, { load }] of Object.entries(featureCommands)) commands[name] = load

/** What does the work of a command that is gone. */
export const retiredCommands: Readonly<Record<string, string>> = {
  analyze: 'whetstone compare <benchmark> --analyze does the same',
  mine: 'whetstone init <skill> --from-sessions <folder> drafts cases and trigger queries from recorded sessions',
  cache: 'whetstone clean shows what caches keep; whetstone clean --cache --older-than 30d --yes removes from them',
}

/** The command of this name alone; all of them if no command has it, as when the line begins with an option. */
export async function loadCommands(name: string | undefined): Promise<AddCommand[]> {
  const named = name === undefined ? undefined : commands[name]
  return await Promise.all((named === undefined ? Object.values(commands) : [named]).map((load) => load()))
}
