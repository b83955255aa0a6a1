/** Resolves the files that checks need while they are decided: listed in `files`, named as `script`, or named in a command. */
import path from 'node:path'
import { type Check, isProgramCheck, type ProgramCheck } from '../../../../../schemas/check.ts'
import type { CheckFile } from '../../../../../schemas/checks/verifier.ts'
import type { InputFile } from '../../../../../schemas/suite.ts'
import { pathExists } from '../../../../base/fs/files.ts'
import { findCommandScripts } from '../../check/text/command_scripts.ts'
import { isHiddenFromAgents } from '../../skill/read_skill.ts'
import { type InputPlace, isOutsideFolder, placeInputs } from '../../suite/input_files.ts'

export interface GradingFilesOfCase {
  /** Each with all its files in `files`. */
  checks: Check[]
  files: InputFile[]
  /** Why the case cannot be graded; empty: nothing is missing. */
  reasons: string[]
}

interface CasePlace extends InputPlace {
  /** JSON path of the case. */
  at: string
  /** Input files, which the agent gets and may change: a command that names them means those. */
  inputs: readonly InputFile[]
  prompt: string
  /** Whether a setup or a git bundle can add files that the case does not list. */
  opensFolder: boolean
}

export async function placeGradingFiles(checks: readonly Check[], place: CasePlace): Promise<GradingFilesOfCase> {
  const all: GradingFilesOfCase = { checks: [], files: [], reasons: [] }
  for (const check of checks) {
    if (!isProgramCheck(check)) all.checks.push(check)
    else await placeFilesOfCheck(check, all, place)
  }
  return all
}

async function placeFilesOfCheck(check: ProgramCheck, all: GradingFilesOfCase, place: CasePlace): Promise<void> {
  const named: CheckFile[] = [...(check.files ?? []), ...(await listOwnFiles(check, all, place))]
  const files: { from: string; to: string }[] = []
  for (const one of named) {
    const from = typeof one === 'string' ? one : one.from
    const found = await placeInputs([{ path: from, at: `${place.at}.checks` }], place, 'file of a check')
    all.reasons.push(...found.reasons)
    const [file] = found.files
    if (file === undefined) continue
    const to = typeof one === 'string' ? file.path : one.to
    if (files.some((other) => other.from === file.path && other.to === to)) continue
    if (files.some((other) => other.to === to)) all.reasons.push(`two of a check's files would be at ${to}`)
    files.push({ from: file.path, to })
    if (all.files.some(({ path: known }) => known === file.path)) continue
    warnVisible(file, place)
    all.files.push(file)
  }
  const script = check.type !== 'command' && check.script !== undefined ? files.at(check.files?.length ?? 0) : undefined
  const own = script === undefined ? {} : { script: script.from }
  all.checks.push(files.length === 0 ? check : { ...check, ...own, files })
}

async function listOwnFiles(check: ProgramCheck, all: GradingFilesOfCase, place: CasePlace): Promise<string[]> {
  const listed = (check.files ?? []).map((file) => path.posix.normalize(typeof file === 'string' ? file : file.from))
  if (check.type !== 'command') {
    const { script } = check
    return script === undefined || listed.includes(path.posix.normalize(script)) ? [] : [script]
  }
  const given = [...listed, ...place.inputs.map((file) => file.path)]
  const isGiven = (name: string) => given.some((one) => `${name}/`.startsWith(`${one}/`))
  const placed = (check.files ?? []).flatMap((file) => (typeof file === 'string' ? [] : [file.to]))
  const found: string[] = []
  for (const name of listSuiteWords(check.run).filter((one) => !isGiven(one) && !placed.includes(one))) {
    const target = path.join(place.root, name)
    if (await pathExists(target)) {
      if (isOutsideFolder(target, place.file)) found.push(name)
    } else if (findCommandScripts(check.run).includes(name) && !mayAppear(name, place)) {
      all.reasons.push(`file of a check ${name}: no such file (looked for ${target})`)
    }
  }
  return found
}

/** Whether the start of the case or the agent may create the file. */
function mayAppear(name: string, { opensFolder, prompt }: CasePlace): boolean {
  return opensFolder || prompt.includes(path.posix.basename(name))
}

/** Words of a shell command that are paths below evals/. */
function listSuiteWords(run: string): string[] {
  const words = run.split(/[\s;&|()<>"'`=]+/).map((word) => word.replace(/^(?:\.\/)+/, '').replace(/\/+$/, ''))
  return [...new Set(words)].filter((word) => /^evals\/[^$*?]+$/.test(word) && path.posix.normalize(word) === word)
}

function warnVisible({ path: name, source }: InputFile, { root, inputs, at, warn }: CasePlace): void {
  const inSkill = path.relative(root, source).split(path.sep).join('/')
  if (inputs.some((file) => `${name}/`.startsWith(`${file.path}/`)))
    warn(`${at}.checks`, `${name} is also an input file, so agents see it`)
  else if (!isHiddenFromAgents(inSkill))
    warn(`${at}.checks`, `${name} is part of the skill, so agents with the skill see it: move it to evals/`)
}
