/** command: a shell command in a copy of the working folder as the agent left it; its exit code or its report decides. */
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import picomatch from 'picomatch'
import * as z from 'zod'
import type { CheckOf } from '../../../../schemas/check.ts'
import type { ResultFormat } from '../../../../schemas/checks/verifier.ts'
import { verifierTest } from '../../../../schemas/verifier_test.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { isInsideFolder } from '../../../base/fs/inside_folder.ts'
import { checkAs, parseJson, readText } from '../../../base/json/json.ts'
import type { ProcessEnd } from '../../../base/process/spawn.ts'
import { findOnPath } from '../../../base/sandbox/programs.ts'
import {
  type CheckContext,
  type CheckDecision,
  type CheckVerdict,
  capTextEnd,
  failUnreadable,
  isContentUnknown,
} from './inputs/check_input.ts'
import { holds, normalizeInnerPath } from './inputs/locate_output.ts'
import { isGlob } from './inputs/wanted_files.ts'
import { type CheckFolders, useWorkingFolder } from './inputs/working_folder.ts'
import { readCtrf } from './results/ctrf.ts'
import { readJunit } from './results/junit.ts'
import { decideLoadFailure, isSameLoadFailure, lacksModule } from './results/load_failures.ts'
import { readReward } from './results/verifier_folder.ts'
import { type ReadResult, rateTests, readScore, shortenTests, type VerifierResult } from './results/verifier_result.ts'
import {
  clearPlace,
  putGradingFiles,
  runBeforeAgent,
  runVerifier,
  toPlacedFile,
  type VerifierEnd,
} from './verifier/run_verifier.ts'
import { decideByScore } from './verifier/verifier_evidence.ts'

type CommandCheck = CheckOf<'command'>
type ExitedVerifier = Extract<VerifierEnd, { end: 'exited' }>

const largestReport = 16 * 1024 * 1024

export async function decideCommand(check: CommandCheck, context: CheckContext): Promise<CheckVerdict> {
  return await useWorkingFolder(context, async (place) => {
    const problem = await putGradingFiles(check.files ?? [], context, place)
    if (problem !== null) return problem
    const placed = (check.files ?? []).map((file) => toPlacedFile(file).to)
    const unseen = await failForLeftOut(check.run, context, { cwd: place.cwd, placed })
    if (unseen !== null) return unseen
    const report = findReport(check)
    // a report that the agent left must not decide
    if (report?.file) await clearPlace(place.cwd, report.file)
    const end = await runCommand(check, context, place)
    return await decideEnd(check, end, { cwd: place.cwd, context })
  })
}

function runCommand(check: CommandCheck, context: CheckContext, place: CheckFolders): Promise<VerifierEnd> {
  const program = { command: 'sh', args: ['-c', `exec 2>&1\n${check.run}`], timeout: check.timeout }
  return runVerifier(program, context, place)
}

async function decideEnd(
  check: CommandCheck,
  end: VerifierEnd,
  { cwd, context }: { cwd: string; context: CheckContext },
): Promise<CheckVerdict> {
  switch (end.end) {
    case 'not_started':
      return { error: `the command could not be started: ${end.error.message}` }
    case 'timed_out':
      return { error: withOutput(`timed out: the command did not end within ${end.seconds} s`, end.output) }
    case 'exited': {
      const isDone = end.process.exitCode === (check.exit_code ?? 0)
      const missing = isDone ? null : await confirmMissingProgram(check, end, { cwd, context })
      if (missing !== null) return { error: `the command could not be started: ${missing} is not installed here` }
      const read = await readResult(check, end, cwd)
      if (read === null) return decideByExitCode(check, end.process, end.output)
      return await decideByReport(check, read, { end, context })
    }
  }
}

/**
 * Without a result, the command failed because of the grader, unless something shows the agent's part: a signal, a crash, the name of a
 * file, or that the command ends differently in the folder as the agent found it.
 */
async function decideByReport(
  check: CommandCheck,
  read: VerifierResult,
  { end, context }: { end: ExitedVerifier; context: CheckContext },
): Promise<CheckVerdict> {
  const { process, output } = end
  const graders = new Set((check.files ?? []).map((file) => toPlacedFile(file).to))
  const left = context.outputs.filter((name) => !graders.has(name))
  const result = decideLoadFailure(read, output, context.asked, left)
  if (!('error' in result) && result.tests?.length !== 0) return decideByScore(result, check.pass_at)
  const why = withOutput(describeNoResult(process, 'error' in read ? read.error : 'no test ran'), output)
  const isOfAgent = !('error' in result) || (await isBrokenByAgent(check, result, { end, context, left }))
  return isOfAgent ? failUnreadable(`what the agent left broke the command: ${why}`) : { error: why }
}

async function isBrokenByAgent(
  check: CommandCheck,
  { notLoaded = [] }: Extract<VerifierResult, { error: string }>,
  { end: { process, output }, context, left }: { end: ExitedVerifier; context: CheckContext; left: readonly string[] },
): Promise<boolean> {
  if (process.exitCode === null) return true
  const runAgain = () =>
    runBeforeAgent(check.files ?? [], context, async (place) => {
      const end = await runCommand(check, context, place)
      return { end, read: end.end === 'exited' ? await readResult(check, end, place.cwd) : null }
    })
  const isScript = check.result === 'score_line' || check.result === 'json'
  if (isScript && process.exitCode !== 0) {
    const isMissing = lacksModule(output, { asked: context.asked, outputs: left }, async () => (await runAgain())?.end)
    return !(await isMissing)
  }
  const again = await runAgain()
  if (again?.end.end !== 'exited' || again.read === null) return false
  const { read } = again
  if (notLoaded.length > 0) return !isSameLoadFailure({ notLoaded, output }, read, again.end.output)
  if (again.end.process.exitCode !== process.exitCode || !('error' in read)) return true
  if ((read.notLoaded ?? []).length > 0) return true
  if (process.exitCode === 0) return false
  // a program of the agent can end in the same way, so both have to give the same reason, and none that is about its files
  const reason = lastLine(again.end.output)
  const isOfAgent = !('error' in decideLoadFailure({ error: '', notLoaded: [] }, again.end.output, context.asked, left))
  return reason === '' || reason !== lastLine(output) || isOfAgent
}

/** Without folders, which differ between two runs. */
function lastLine(output: string): string {
  return (output.trimEnd().split('\n').at(-1) ?? '').replaceAll(/\/(?:[^\s/]+\/)*/g, '')
}

/** null: the exit code decides. `file` null: the output is the report. */
function findReport({ result = 'exit_code', result_file }: CommandCheck) {
  const reader = resultReaders[result]
  return reader && { file: reader.file === null ? null : (result_file ?? reader.file), read: reader.read }
}

/** null: the exit code decides. */
async function readResult(
  check: CommandCheck,
  { output }: ExitedVerifier,
  cwd: string,
): Promise<VerifierResult | null> {
  const report = findReport(check)
  if (report === null) return null
  return report.file === null ? await report.read(output) : await readReport(cwd, report.file, report.read)
}

async function readReport(cwd: string, name: string, read: ReadResult): Promise<VerifierResult> {
  const file = path.join(cwd, name)
  const found = await lstat(file).catch(() => null)
  if (found === null) return { error: `the command wrote no ${name}`, notLoaded: [] }
  if (!found.isFile() || !isInsideFolder(cwd, file)) return { error: `${name} is not a file of the working folder` }
  if (found.size > largestReport) return { error: `${name} is larger than ${largestReport} bytes` }
  return await read(await readText(file))
}

function describeNoResult({ exitCode, signal }: ProcessEnd, why: string): string {
  return `${why} (${exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`})`
}

function decideByExitCode(check: CommandCheck, end: ProcessEnd, output: string): CheckVerdict {
  const wanted = check.exit_code ?? 0
  if (end.exitCode === null) return { passed: false, evidence: withOutput(`Ended by ${end.signal}`, output) }
  const code = end.exitCode === wanted ? `Exit code ${wanted}` : `Exit code ${end.exitCode}, not ${wanted}`
  return { passed: end.exitCode === wanted, evidence: withOutput(code, output) }
}

/** What the agent left can print the same as a shell: the program has to be missing in the folder as the agent found it, too. */
async function confirmMissingProgram(
  check: CommandCheck,
  end: ExitedVerifier,
  { cwd, context }: { cwd: string; context: CheckContext },
): Promise<string | null> {
  const missing = await findMissingProgram(check, end, { cwd, context })
  if (missing === null) return null
  const before = await runBeforeAgent(check.files ?? [], context, async (place) => {
    const again = await runCommand(check, context, place)
    return again.end === 'exited' ? await findMissingProgram(check, again, { cwd: place.cwd, context }) : null
  })
  return before === missing ? missing : null
}

/** A program of the author's command, or of the files that came with it, that this machine lacks; null: the agent had to provide it. */
async function findMissingProgram(
  { run, files = [] }: CommandCheck,
  { process, output }: ExitedVerifier,
  { cwd, context }: { cwd: string; context: CheckContext },
): Promise<string | null> {
  const module = /No module named '?([\w.]+)'?\s*$/.exec(output)?.[1]
  if (module !== undefined && new RegExp(`-m\\s+${module}\\b`).test(run))
    return isAskedFor(module, context.asked) ? null : `the Python module ${module}`
  const name =
    process.exitCode === 127 ? /(?:^|[\s:])([^\s:/]+): (?:command )?not found\s*$/.exec(output)?.[1] : undefined
  // what the agent left can print the same
  if (name === undefined || (await findOnPath(name, context.env.PATH ?? '')) !== null) return null
  if (namesProgram(run, name)) return name
  for (const file of files.map(toPlacedFile)) {
    const text = await readText(path.join(cwd, file.to)).catch(() => '') // a folder has no text
    if (namesProgram(text, name)) return name
  }
  return null
}

/** Whether the case speaks of the module as of something to write; pytest and unittest are what it is tested with. */
function isAskedFor(module: string, asked: CheckContext['asked']): boolean {
  const [first = ''] = module.split('.')
  const text = [asked?.prompt, asked?.expected_output, ...Object.keys(asked?.reference?.files ?? {})].join('\n')
  return first !== 'pytest' && new RegExp(`\\b${first}\\b`).test(text)
}

function namesProgram(text: string, name: string): boolean {
  return text.split(/[\s;&|()]+/).includes(name)
}

function withOutput(what: string, output: string): string {
  const end = capTextEnd(output)
  return end === '' ? `${what}; no output` : `${what}; output: ${end}`
}

/**
 * The verdict on a command that names such a file, or a folder or glob with a file whose content is unknown; null: it names none.
 * `placed`: files of the suite in the copy at `cwd`.
 */
async function failForLeftOut(
  run: string,
  { leftOut }: Pick<CheckContext, 'leftOut'>,
  { cwd, placed }: { cwd: string; placed: readonly string[] },
): Promise<CheckDecision | null> {
  const words = listPathWords(run)
  for (const one of leftOut) {
    const isUnknown = isContentUnknown(one)
    const isNamed = run.includes(one.path) && (/[^\w./-]/.test(one.path) || words.some((word) => holds(one.path, word)))
    const isInside = one.path === '.' || words.some((word) => holds(word, one.path) || matches(word, one.path))
    if (!isNamed && !(isUnknown && isInside)) continue
    if (placed.some((name) => holds(one.path, name) || holds(name, one.path))) continue
    if (!isUnknown && (await pathExists(path.join(cwd, one.path)))) continue // from setup
    return failUnreadable(`${one.path} was not collected: ${one.reason}`)
  }
  return null
}

/** Every part of the command, also of code in quotes, that may be a path in the working folder. */
function listPathWords(run: string): string[] {
  const plain = run.replaceAll(/\$(?:PWD|WHETSTONE_RUN_FOLDER|\{(?:PWD|WHETSTONE_RUN_FOLDER)\})/g, '.')
  const words = plain.split(/[\s;|&()<>'"`=,]+/).filter((word) => word !== '')
  return words.map((word) => normalizeInnerPath(word)).filter((word) => word !== null)
}

function matches(word: string, name: string): boolean {
  if (!isGlob(word)) return false
  const parts = name.split('/').slice(0, word.split('/').length).join('/')
  return picomatch.isMatch(parts, word)
}

/** `file`: the default of `result_file`; null: the output is read. */
export const resultReaders = {
  exit_code: null,
  score_line: { file: null, read: readScoreLine },
  json: { file: 'result.json', read: readJsonReport },
  junit: { file: 'junit.xml', read: readJunit },
  ctrf: { file: 'ctrf.json', read: readCtrf },
  reward: { file: 'reward.txt', read: readReward },
} satisfies Record<ResultFormat, { file: string | null; read: ReadResult } | null>

export function readScoreLine(output: string): VerifierResult {
  const line = output.trimEnd().split(/\r?\n/).at(-1) ?? ''
  const given = /^\s*score\s*[:=]\s*(\S+)\s*$/i.exec(line)?.[1]
  if (given === undefined) return { error: 'the last line of the output is not a score, such as "score: 0.75"' }
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(given)
  return readScore(isNumber ? Number(given) : given, 'the score')
}

const report = z
  .looseObject({ score: z.unknown().optional(), checks: z.array(verifierTest).optional() })
  .refine(({ score, checks }) => score !== undefined || checks !== undefined, 'needs "score" or "checks"')

/** Without a score, each check counts the same. */
export function readJsonReport(text: string): VerifierResult {
  try {
    const { score, checks } = checkAs(report, parseJson(text, 'the report'), 'the report')
    const tests = (checks ?? []).map(({ passed, ...one }) => ({ ...one, end: passed ? 'passed' : 'failed' }) as const)
    if (checks?.length === 0 || score === undefined) return rateTests(tests)
    const rated = readScore(score, '"score" of the report')
    return 'error' in rated || checks === undefined ? rated : { ...rated, tests: shortenTests(checks) }
  } catch (error) {
    return { error: errorMessage(error) }
  }
}
