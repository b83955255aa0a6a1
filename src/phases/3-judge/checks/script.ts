/** script: a program of the suite in TypeScript, JavaScript or Python reads the run as JSON and prints its verdict; verifier: the report of a task's own verifier decides. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import type { CheckOf } from '../../../../schemas/check.ts'
import { type VerifierTest, verifierTest } from '../../../../schemas/verifier_test.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { openScratch } from '../../../base/fs/temp_dir.ts'
import { checkAs, readText, tryParseJson } from '../../../base/json/json.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, capTextEnd, failUnreadable } from './inputs/check_input.ts'
import { type CheckFolders, useWorkingFolder } from './inputs/working_folder.ts'
import { decideLoadFailure, lacksModule } from './results/load_failures.ts'
import { readVerifierResult } from './results/verifier_folder.ts'
import { rateTests, shortenTests } from './results/verifier_result.ts'
import {
  putGradingFiles,
  runBeforeAgent,
  runVerifier,
  toPlacedFile,
  type VerifierEnd,
} from './verifier/run_verifier.ts'
import { decideByScore, describeScore } from './verifier/verifier_evidence.ts'

type ScriptCheck = CheckOf<'script'>

const stdoutLimit = 4 * 1024 * 1024

export async function decideScript(check: ScriptCheck, context: CheckContext): Promise<CheckVerdict> {
  await using scratch = await openScratch()
  const transcript = path.join(scratch.path, 'transcript.jsonl')
  const events = await context.events()
  await writeFile(transcript, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const files = check.files ?? [check.script]
  const placed = files.map(toPlacedFile).find(({ from }) => from === check.script)
  return await useWorkingFolder(context, async (place) => {
    const problem = await putGradingFiles(files, context, place)
    if (problem !== null) return problem
    const program = await findScriptProgram(place.own, placed?.to ?? check.script)
    if ('error' in program) return program
    const run = async (at: CheckFolders, of: CheckContext, heard: string) => {
      const found = await findScriptProgram(at.own, placed?.to ?? check.script)
      return await runVerifier(
        {
          command: program.command,
          args: ['file' in found ? found.file : program.file, ...(check.args ?? [])],
          stdin: JSON.stringify(buildScriptInput(check, of, { runFolder: at.cwd, transcript: heard })),
          timeout: check.timeout,
          stdoutLimit,
          readable: [scratch.path],
        },
        context,
        at,
      )
    }
    const silent = '/dev/null'
    const before = { ...context, finalResponse: '', outputs: [] }
    const runAgain = () => runBeforeAgent(files, context, (at) => run(at, before, silent))
    const isMissing = (said: string) => lacksModule(said, context, runAgain)
    const how = { command: program.command, passAt: check.pass_at, isMissing, runAgain }
    return await decideScriptEnd(await run(place, context, transcript), how)
  })
}

/** What the script reads on stdin; docs/reference/graders.md describes it. */
function buildScriptInput(
  { files = [] }: ScriptCheck,
  { asked, finalResponse, outputs, record }: CheckContext,
  { runFolder, transcript }: { runFolder: string; transcript: string },
) {
  return {
    run_folder: runFolder,
    outputs,
    deleted: record.outputs.deleted,
    transcript_events_file: transcript,
    final_response: finalResponse,
    case: {
      id: asked?.eval_id ?? null,
      name: asked?.eval_name ?? null,
      prompt: asked?.prompt ?? null,
      expected_output: asked?.expected_output ?? null,
      reference: asked?.reference ?? null,
    },
    files: files.map((file) => toPlacedFile(file).to),
  }
}

/** The interpreter and the file that it runs. TypeScript becomes JavaScript next to it, since Node 20 runs none. `folder`: the check's own. */
export async function findScriptProgram(
  folder: string,
  name: string,
): Promise<{ command: string; file: string } | { error: string }> {
  const script = path.join(folder, name)
  const extension = path.extname(script)
  if (extension === '.py') return { command: 'python3', file: script }
  if (extension !== '.ts' && extension !== '.mts') return { command: process.execPath, file: script }
  try {
    const { transform } = await import('@swc/wasm-typescript')
    const { code } = await transform(await readFile(script, 'utf8'), { mode: 'transform', module: true })
    const file = `${script}.mjs`
    await writeFile(file, code)
    return { command: process.execPath, file }
  } catch (error) {
    return { error: `the script is not valid TypeScript: ${describeTranslatorError(error)}` }
  }
}

/** @swc/wasm-typescript throws a plain object. */
const translatorError = z.object({ message: z.string(), startLine: z.number().optional() })

function describeTranslatorError(error: unknown): string {
  const { success, data } = translatorError.safeParse(error)
  if (!success) return errorMessage(error)
  return data.startLine === undefined ? data.message : `line ${data.startLine}: ${data.message}`
}

const ownWord = 'the script says: '

interface ScriptEndHow {
  command: string
  passAt: number | undefined
  /** Whether such a message says that the machine or the suite lacks a module. */
  isMissing: (said: string) => Promise<boolean>
  /** How it ends in the folder as the agent found it, without an answer; null: it can't be run there. */
  runAgain: () => Promise<VerifierEnd | null>
}

/** The verdict that the program printed. A crash comes from what it read: a script can print its own `error`. */
export async function decideScriptEnd(
  end: VerifierEnd,
  { command, passAt, isMissing, runAgain }: ScriptEndHow,
): Promise<CheckVerdict> {
  switch (end.end) {
    case 'not_started':
      return { error: `the script could not be started: ${path.basename(command)} is not installed here` }
    case 'timed_out':
      return { error: `timed out: the script did not end within ${end.seconds} s` }
    case 'exited': {
      const { exitCode, signal, stdout, stderrTail } = end.process
      const verdict = readScriptVerdict(stdout, passAt)
      const isFail = !('error' in verdict) && !verdict.passed // many checkers end with 1 to say the same
      if (exitCode !== null && isFail) return verdict
      if (exitCode === 0) {
        const again = 'error' in verdict && !verdict.error.startsWith(ownWord) ? await runAgain() : null
        const isOfAgent =
          again?.end === 'exited' &&
          (again.process.exitCode !== 0 || !('error' in readScriptVerdict(again.process.stdout, passAt)))
        return isOfAgent ? failUnreadable('what the agent left kept the script from its verdict') : verdict
      }
      const how = exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`
      const why = capTextEnd((stderrTail.trim() || end.output).trim())
      const said = `the script failed (${how})${why === '' ? '' : `: ${why}`}`
      return (await isMissing(stderrTail)) ? { error: said } : failUnreadable(`what the agent left broke it: ${said}`)
    }
  }
}

const score = z.number().min(0).max(1)
const single = z
  .looseObject({
    passed: z.boolean().optional(),
    score: score.optional(),
    evidence: z.string().optional(),
    checks: z.array(verifierTest).min(1).optional(),
    error: z.string().min(1).optional(),
  })
  .refine(
    (one) => [one.passed, one.score, one.checks, one.error].some((value) => value !== undefined),
    'needs "passed", "score", "checks" or "error"',
  )
const listed = z.looseObject({
  name: z.string(),
  passed: z.boolean(),
  score: score.optional(),
  message: z.string().optional(),
  evidence: z.string().optional(),
})

/** Reads all of stdout, or else its last line. */
export function readScriptVerdict(stdout: string, passAt: number | undefined): CheckVerdict {
  const value = readLastJson(stdout)
  if (value === undefined) {
    const text = stdout.trim()
    return {
      error: `the script printed no JSON as its last line: ${text === '' ? 'no output' : capText(text.slice(-300))}`,
    }
  }
  try {
    return Array.isArray(value)
      ? readList(checkAs(z.array(listed).min(1), value, 'the verdict of the script'), passAt)
      : readSingle(checkAs(single, value, 'the verdict of the script'), passAt)
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

function readLastJson(stdout: string): unknown {
  const text = stdout.trim()
  return tryParseJson(text) ?? tryParseJson(text.split('\n').at(-1) ?? '')
}

function readSingle(given: z.infer<typeof single>, passAt: number | undefined): CheckVerdict {
  if (given.error !== undefined) return { error: `${ownWord}${capText(given.error)}` }
  const { checks, passed } = given
  const tests = checks && shortenTests(checks)
  const rated = given.score ?? (passed === undefined ? shareOfPassed(checks ?? []) : undefined)
  if (rated === undefined) {
    const evidence = describeEvidence(given.evidence, passed === true ? 'Passed' : 'Failed', tests)
    return { passed: passed === true, evidence, ...(tests && { tests }) }
  }
  const decided = decideByScore({ score: rated, tests }, passAt)
  const evidence = describeEvidence(given.evidence, decided.evidence, undefined)
  return { ...decided, ...(passed !== undefined && { passed }), evidence }
}

function readList(list: readonly z.infer<typeof listed>[], passAt: number | undefined): CheckVerdict {
  const scores = list.map((one) => one.score ?? (one.passed ? 1 : 0))
  const tests = list.map(({ name, passed, message, evidence }) => ({ name, passed, message: message ?? evidence }))
  const mean = scores.reduce((sum, one) => sum + one, 0) / list.length
  return decideByScore({ score: mean, tests: shortenTests(tests) }, passAt)
}

function shareOfPassed(checks: readonly VerifierTest[]): number | undefined {
  const rated = rateTests(checks.map(({ name, passed }) => ({ name, end: passed ? 'passed' : 'failed' })))
  return 'error' in rated ? undefined : rated.score
}

function describeEvidence(own: string | undefined, facts: string, tests: readonly VerifierTest[] | undefined): string {
  const counts = tests === undefined ? facts : describeScore(shareOfPassed(tests) ?? 0, tests)
  return own === undefined || own.trim() === '' ? counts : `${capText(own.trim())} (${counts})`
}

/** The last line of output.txt is Whetstone's: the verifier worked on what the agent left, and that stopped it. */
const endedEarly = /\((?:no end within [\d.]+ s|ended by SIG\w+)\)\s*$/

/** Passes at the full reward. A verifier that could not run its tests decides nothing. */
export async function decideVerifier(_: CheckOf<'verifier'>, context: CheckContext): Promise<CheckVerdict> {
  const folder = path.join(path.dirname(context.outputsFolder), 'verifier')
  if (!path.isAbsolute(folder) || !(await pathExists(folder)))
    return { error: 'no verifier ran: only a Harbor task has one' }
  const expectsTests = context.start.harbor?.verifier.expects_tests ?? false
  const output = await readText(path.join(folder, 'output.txt')).catch(() => '')
  const result = decideLoadFailure(
    await readVerifierResult(folder, { expectsTests }),
    output,
    context.asked,
    context.outputs,
  )
  if ('error' in result) {
    const why = `${result.error}; its output ends: ${capTextEnd(output.trim())}`
    return endedEarly.test(output) ? failUnreadable(why) : { error: why }
  }
  const { score, tests = [] } = result
  const failed = tests.filter(({ passed }) => !passed)
  const [first] = failed
  const counted = tests.length === 0 ? '' : `; ${tests.length - failed.length} of ${tests.length} tests passed`
  const named = first === undefined ? '' : `; failed: ${first.name}`
  return {
    passed: score >= 1,
    score,
    evidence: `Reward ${score}${counted}${named}`,
    ...(tests.length > 0 && { tests }),
  }
}
