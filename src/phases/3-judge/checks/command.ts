/** command: a shell command ends with the expected exit code, in a copy of the working folder as the agent left it. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { runMark } from '../../../base/process/process_marks.ts'
import { type ProcessEnd, runProcess, SpawnError } from '../../../base/process/spawn.ts'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capTextEnd } from './inputs/evidence.ts'
import { useWorkingFolder } from './inputs/working_folder.ts'

const defaultSeconds = 60
const keptLines = 30

export async function decideCommand(check: CheckOf<'command'>, context: CheckContext): Promise<CheckVerdict> {
  return await useWorkingFolder(context, (place) => runCheckCommand(check, context, place))
}

async function runCheckCommand(
  check: CheckOf<'command'>,
  context: CheckContext,
  place: { cwd: string; mark: string },
): Promise<CheckVerdict> {
  const seconds = check.timeout ?? defaultSeconds
  using limit = startTimeLimit(seconds * 1000, [context.signal])
  const lines: string[] = []
  try {
    const end = await runProcess({
      command: 'sh',
      args: ['-c', `exec 2>&1\n${check.run}`],
      cwd: place.cwd,
      env: { ...context.env, [runMark]: place.mark },
      signal: limit.signal,
      stdoutLimit: 0,
      sandbox: context.sandboxFor?.([place.cwd, ...findHome(context.env)]) ?? null,
      onLine: (line) => {
        lines.push(line)
        if (lines.length > keptLines) lines.shift()
        return undefined
      },
    })
    return verdict(check, end, capTextEnd(lines.join('\n')))
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof SpawnError) return { error: `the command could not be started: ${error.message}` }
    if (!limit.signal.aborted) throw error
    const output = capTextEnd(lines.join('\n'))
    return { passed: false, evidence: withOutput(`The command did not end within ${seconds} s`, output) }
  }
}

function findHome({ HOME: home }: CheckContext['env']): string[] {
  return home === undefined ? [] : [home]
}

function verdict(check: CheckOf<'command'>, end: ProcessEnd, output: string): CheckVerdict {
  const wanted = check.exit_code ?? 0
  if (end.exitCode === null) return { passed: false, evidence: withOutput(`Ended by ${end.signal}`, output) }
  const missing = end.exitCode === wanted ? null : missingProgram(check.run, end.exitCode, output)
  if (missing !== null) return { error: `the command could not be started: ${missing} is not installed here` }
  const code = end.exitCode === wanted ? `Exit code ${wanted}` : `Exit code ${end.exitCode}, not ${wanted}`
  return { passed: end.exitCode === wanted, evidence: withOutput(code, output) }
}

/** A program of the author's command that this machine lacks; null: the agent had to provide it. */
function missingProgram(run: string, exitCode: number, output: string): string | null {
  if (exitCode !== 127) return null
  const name = /(?:^|[\s:])([^\s:/]+): (?:command )?not found\s*$/.exec(output)?.[1]
  return name !== undefined && run.split(/[\s;&|()]+/).includes(name) ? name : null
}

function withOutput(what: string, output: string): string {
  return output === '' ? `${what}; no output` : `${what}; output: ${output}`
}
