/** The events of a run from its transcript, the calls of its suite's programs, and which checks need them. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type * as z from 'zod'
import type { Check, CheckType } from '../../../../../schemas/check.ts'
import { type ProgramCall, programCall } from '../../../../../schemas/program.ts'
import { type TranscriptEvent, transcriptEvent } from '../../../../../schemas/transcript.ts'
import { checkAs, parseJson } from '../../../../base/json/json.ts'

/** Throws if the file is missing, or a line is not a valid event. */
export async function readEvents(file: string): Promise<TranscriptEvent[]> {
  return await readLines(file, transcriptEvent)
}

/** null: the run did not record any. Throws if a line is not a valid call. */
export async function readProgramCalls(file: string): Promise<ProgramCall[] | null> {
  return existsSync(file) ? await readLines(file, programCall) : null
}

async function readLines<S extends z.ZodType>(file: string, schema: S): Promise<z.infer<S>[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line, index) => {
    const at = `${file}:${index + 1}`
    return checkAs(schema, parseJson(line, at), at)
  })
}

/** Checks that read the agent's tool calls or its turns. */
export const toolChecks = [
  'tool_used',
  'tool_not_used',
  'tool_order',
  'tool_calls_at_most',
  'no_loop',
  'skill_read',
  'script_executed',
  'agent_blocked',
  'turns_at_most',
] satisfies CheckType[]

const conduct: ReadonlySet<CheckType> = new Set([
  ...toolChecks,
  'program_called',
  'tokens_at_most',
  'cost_at_most',
  'duration_at_most',
] satisfies CheckType[])

export function isConductCheck(check: Check): boolean {
  return conduct.has(check.type) || ('target' in check && check.target === 'transcript')
}
