/** command: a shell command ends with the wanted exit code, in a copy of the working folder as the agent left it. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { runMark } from '../../../base/process_marks.ts'
import { type ProcessEnd, runProcess, SpawnError } from '../../../base/spawn.ts'
import { timeLimit } from '../../../base/time_limit.ts'
import { cappedEnd } from './evidence.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { inWorkingFolder } from './working_folder.ts'

const defaultSeconds = 60
const keptLines = 30

export async function command(check: CheckOf<'command'>, scene: CheckScene): Promise<CheckVerdict> {
  return await inWorkingFolder(scene, (place) => runIn(check, scene, place))
}

async function runIn(
  check: CheckOf<'command'>,
  scene: CheckScene,
  place: { cwd: string; mark: string },
): Promise<CheckVerdict> {
  const seconds = check.timeout ?? defaultSeconds
  using limit = timeLimit(seconds * 1000, [scene.signal])
  const lines: string[] = []
  try {
    const end = await runProcess({
      command: 'sh',
      args: ['-c', `exec 2>&1\n${check.run}`],
      cwd: place.cwd,
      env: { ...scene.env, [runMark]: place.mark },
      signal: limit.signal,
      stdoutLimit: 0,
      sandbox: scene.sandboxFor?.([place.cwd, ...homeOf(scene.env)]) ?? null,
      onLine: (line) => {
        lines.push(line)
        if (lines.length > keptLines) lines.shift()
        return undefined
      },
    })
    return verdict(check, end, cappedEnd(lines.join('\n')))
  } catch (error) {
    scene.signal.throwIfAborted()
    if (error instanceof SpawnError) return { error: `the command could not be started: ${error.message}` }
    if (!limit.signal.aborted) throw error
    const output = cappedEnd(lines.join('\n'))
    return { passed: false, evidence: withOutput(`The command did not end within ${seconds} s`, output) }
  }
}

function homeOf({ HOME: home }: CheckScene['env']): string[] {
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

/** The program that the author's command names and this machine lacks; null when what is missing is the agent's to bring. */
function missingProgram(run: string, exitCode: number, output: string): string | null {
  if (exitCode !== 127) return null
  const name = /(?:^|[\s:])([^\s:/]+): (?:command )?not found\s*$/.exec(output)?.[1]
  return name !== undefined && run.split(/[\s;&|()]+/).includes(name) ? name : null
}

function withOutput(what: string, output: string): string {
  return output === '' ? `${what}; no output` : `${what}; output: ${output}`
}
