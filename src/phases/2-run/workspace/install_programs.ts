/** Installs the programs of evals/bin for a run or a command check: wrappers that record each call, then start the suite's file or give its recorded answer. */
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ProgramAnswer } from '../../../../schemas/program.ts'
import type { Environment, SuitePrograms } from '../../../../schemas/suite.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { copyWalk, hashWalk, walk } from '../../../base/fs/files.ts'
import { quoteWord } from '../../../base/package_root.ts'
import type { VariableTrust } from '../../../base/secrets/suite_variables.ts'
import { buildCaseEnvironment, programPath } from './case_environment.ts'
import { SetupError } from './symlink_traps.ts'

export interface ProgramPlace {
  /** Absolute, outside of the working folder; missing at first. */
  folder: string
  /** Absolute file to which calls are appended, as the programs see it; null: they are not recorded. */
  log: string | null
  /** The path of a place as the programs see it; absent: the same. */
  show?: (place: string) => string
}

/** Throws SetupError if the folder of the suite has changed since the plan. */
export async function installPrograms(
  programs: SuitePrograms,
  { folder, log, show = (place) => place }: ProgramPlace,
): Promise<void> {
  const copy = path.join(folder, 'files')
  const shownCopy = show(copy)
  const bin = programPath(folder)
  await mkdir(bin, { recursive: true })
  await copyProgramFiles(programs, copy)
  const start = (name: string) => ['#!/bin/sh', ...(log === null ? [] : [recordLine(name, log)])]
  for (const name of programs.executables) {
    const lines = [...start(name), `exec ${quoteWord(path.join(shownCopy, name))} "$@"`]
    await writeProgram(path.join(bin, name), lines)
  }
  for (const [name, answers] of Object.entries(programs.answers)) {
    await writeProgram(path.join(bin, name), [...start(name), ...answerLines(name, answers, shownCopy)])
  }
}

async function copyProgramFiles({ folder }: SuitePrograms, target: string): Promise<void> {
  const { files } = await walk(folder.source).catch((error: unknown) => {
    throw new SetupError(`${folder.path}: ${errorMessage(error)}`)
  })
  await copyWalk(files, target)
  for (const one of files) {
    const file = path.join(target, one.path)
    await chmod(file, (await stat(file)).mode & 0o555)
  }
  if ((await hashWalk(files)) !== folder.sha256)
    throw new SetupError(`${folder.path}: ${folder.source} has changed since the plan was written`)
}

async function writeProgram(file: string, lines: readonly string[]): Promise<void> {
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o555, flag: 'wx' })
}

/** Appends the name, the number of arguments and each argument, all ended by a zero byte, in one write. */
function recordLine(name: string, log: string): string {
  return `{ printf '%s\\0' ${quoteWord(name)} "$#" "$@" >> ${quoteWord(log)}; } 2>/dev/null`
}

function answerLines(name: string, answers: readonly ProgramAnswer[], folder: string): string[] {
  const cases = answers.flatMap(({ args, stdout = '', stdout_file: file, stderr = '', exit_code = 0 }) => [
    `${toShellPattern(args)})`,
    ...(file === undefined ? printLines(stdout, '') : [`cat ${quoteWord(path.join(folder, file))}`]),
    ...printLines(stderr, ' >&2'),
    `exit ${exit_code} ;;`,
  ])
  const unknown = `${name}: no recorded answer for these arguments: `
  return [
    'PATH=/usr/bin:/bin', // not the suite's own programs
    'case "$*" in',
    ...cases,
    'esac',
    `printf '%s%s\\n' ${quoteWord(unknown)} "$*" >&2`,
    'exit 1',
  ]
}

/** Ends the text with a line end, as programs do. */
function printLines(text: string, to: string): string[] {
  return text === '' ? [] : [`printf '%s' ${quoteWord(text.endsWith('\n') ? text : `${text}\n`)}${to}`]
}

/** Only * and ? keep a meaning. */
function toShellPattern(glob: string): string {
  const parts = glob.split(/([*?])/).filter((part) => part !== '')
  return parts.map((part) => (part === '*' || part === '?' ? part : quoteWord(part))).join('') || "''"
}

export interface CheckSurroundings {
  /** For setup and command checks. */
  env: Record<string, string>
  /** Installs the programs, once. Rejects with SetupError if they have changed since the plan. */
  install: () => Promise<void>
}

/** `folder`: the temp directory, absolute. Calls are not recorded: they are not the agent's. */
export function openCheckSurroundings(
  base: Readonly<Record<string, string>>,
  environment: Environment | undefined,
  { folder, trust }: { folder: string; trust: VariableTrust },
): CheckSurroundings {
  const programsFolder = path.join(folder, 'programs')
  const { env } = buildCaseEnvironment(base, environment, { folder: programsFolder, trust })
  let installed: Promise<void> | undefined
  return {
    env,
    install() {
      const { programs } = environment ?? {}
      installed ??=
        programs === undefined ? Promise.resolve() : installPrograms(programs, { folder: programsFolder, log: null })
      return installed
    },
  }
}
