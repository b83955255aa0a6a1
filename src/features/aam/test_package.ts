/** test: runs a package's deterministic tests: a process for each, and checks of its output, without a model. */
import { statSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import type { HookEntry } from '../../../schemas/environment.ts'
import type { TestCaseResult, TestResult } from '../../../schemas/test_result.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { missingPathError } from '../../base/fs/nearest_path.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { runProcess } from '../../base/process/spawn.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { explainRefusal, suiteVariables } from '../../base/secrets/suite_variables.ts'
import { suggestChoice } from '../../base/text/did_you_mean.ts'
import { activeNow } from '../../base/time/active_time.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { fitsMatcher } from '../../engines/hooks/hooks.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { type Shard, selectShardItems } from '../../phases/1-plan/plan/select_shard.ts'
import { readPackageText } from './fields.ts'
import { applyOverrides, detectDialect, readToolName, toDialect } from './hook_payload.ts'
import { type AamHooks, claudeEvents, readAamHooks } from './hooks.ts'
import { listUnrunTests } from './package.ts'
import { listProcessFailures, type ProcessOutcome } from './process_checks.ts'
import { type AamTest, type AamTests, readAamTests } from './read_tests.ts'
import { openTestPlace, type TestPlace } from './test_commands.ts'

export interface TestRequest {
  package: string
  /** Only tests of this skill; null: any. */
  skill: string | null
  /** Only tests of hooks, plus any others selected. */
  hooks: boolean
  /** Only tests of hooks for this event. */
  event: string | null
  /** The stem of a single test file; null: all. */
  case: string | null
  /** One part of the selected tests; absent or null: all. */
  shard?: Shard | null
  /** Confines the tests; absent or null: auto. */
  sandbox?: SandboxWish | null
}

/** Runs the tests one after another, since they share the package's folder. Throws UserError where there are none. */
export async function testPackage(request: TestRequest, context: FlowContext): Promise<TestResult> {
  const started_at = context.now().toISOString()
  const root = path.resolve(request.package)
  if (!(await pathExists(root))) throw missingPathError(request.package, 'folder', 'pass the folder of a package')
  if (statSync(root).isFile())
    throw new UserError(
      `${request.package}: expected a folder, found a file`,
      `pass the folder: ${path.dirname(request.package)}`,
    )
  const found = await readAamTests(root)
  if (found.tests.length === 0) {
    const fix = 'write skills/<name>/tests/cases/*.yaml or hooks/tests/cases/*.yaml; docs/reference/aam.md shows both'
    throw new UserError(`${request.package}: no test found`, fix)
  }
  const selected = selectTests(found.tests, request)
  const { shard = null } = request
  const tests = shard === null ? selected : selectShardItems(selected, shard)
  const empty =
    request.case !== null || (shard !== null && shard.index > 1)
      ? []
      : found.empty.filter(({ skill }) => isWanted(skill === null ? 'hooks' : { skill }, request))
  if (selected.length + empty.length === 0) throw nothingChosenError(request)
  const hooks = await readAamHooks(root)
  const warnings = [
    ...found.warnings,
    ...(await listUnrunTests(root)),
    ...[...(hooks?.mistakes ?? []), ...(hooks?.warnings ?? [])].map(({ at, message }) => `${at}: ${message}`),
  ]
  const cases: TestCaseResult[] = empty.map(emptyFolder)
  await using place = await openTestPlace({ root, tests, hooks, wish: request.sandbox }, context)
  for (const test of tests) {
    if (context.drain.aborted) break
    cases.push(await runPackageTest(test, { hooks, root, place, context }))
  }
  context.signal.throwIfAborted()
  const count = (verdict: TestCaseResult['verdict']) => cases.filter((one) => one.verdict === verdict).length
  const summary = { total: cases.length, passed: count('pass'), failed: count('fail'), errors: count('error') }
  const commands = place.commands.length > 0 && { commands: place.commands }
  return { schema_version: 1, package: root, started_at, summary, ...commands, cases, warnings }
}

function selectTests(all: readonly AamTest[], request: TestRequest): AamTest[] {
  const { skill, event, case: stem } = request
  const skills = [...new Set(all.flatMap((one) => (one.kind === 'skill' ? [one.skill] : [])))]
  const events = [...new Set(all.flatMap((one) => (one.kind === 'hook' ? [one.event] : [])))]
  if (skill !== null && !skills.includes(skill)) throw unknownTestError('--skill', skill, skills)
  if (event !== null && !events.includes(event)) throw unknownTestError('--event', event, events)
  const left = all.filter((one) => {
    if (one.kind === 'hook' && event !== null) return one.event === event
    return isWanted(one.kind === 'hook' ? 'hooks' : one, request)
  })
  if (stem === null) return left
  const named = left.filter((one) => one.stem === stem)
  if (named.length > 0) return named
  throw unknownTestError('--case', stem, [...new Set(left.map((one) => one.stem))])
}

/** Selects tests of a skill or of hooks: --skill and --hooks together select both. */
function isWanted(of: 'hooks' | { skill: string }, { skill, hooks, event }: TestRequest): boolean {
  if (skill === null && !hooks && event === null) return true
  return of === 'hooks' ? hooks && event === null : of.skill === skill
}

function nothingChosenError({ package: folder }: TestRequest): UserError {
  return new UserError(`${folder}: no tests of hooks found`, 'add hooks/tests/cases/*.yaml, or remove --hooks')
}

/** Reports a tests folder without tests as an error: its author may not have finished, or removed them by mistake. */
function emptyFolder({ skill, folder }: AamTests['empty'][number]): TestCaseResult {
  const of = skill === null ? 'hook:' : `skill:${skill}`
  const reason = `${folder}: no case found; looked for cases/*.yaml`
  const nothing = { verdict: 'error' as const, reason, runs: [], warnings: [] }
  return { of, case: 'none', name: 'no case found', file: path.join(folder, 'cases'), ...nothing }
}

function unknownTestError(flag: string, value: string, known: readonly string[]): UserError {
  const hint = suggestChoice(value, known)
  return new UserError(
    `${flag} "${value}": no such test`,
    flag === '--case' ? `${hint} (the file's name, without .yaml)` : hint,
  )
}

interface Place {
  hooks: AamHooks | null
  root: string
  place: TestPlace
  context: FlowContext
}

async function runPackageTest(given: AamTest, place: Place): Promise<TestCaseResult> {
  const { set, refused } = suiteVariables(given.env, place.place.rule)
  const test = { ...given, env: { ...place.place.env, ...set } }
  const shared = {
    of: test.kind === 'skill' ? `skill:${test.skill}` : `hook:${test.event}`,
    ...{ case: test.stem, name: test.name, file: test.file },
    ...(test.description !== null && { description: test.description }),
  }
  const warnings = [...test.unknown.map(({ at, message }) => `${at}: ${message}`), ...refused.map(describeRefused)]
  const broken = (reason: string) => ({ ...shared, verdict: 'error' as const, reason, runs: [], warnings })
  if (test.mistakes.length > 0) return broken(test.mistakes.map(({ at, message }) => `${at}: ${message}`).join('; '))
  const made = test.kind === 'skill' ? await skillRuns(test, place) : await hookRuns(test, place)
  if ('error' in made) return broken(made.error)
  const [first] = made.runs
  const failed = first === undefined || first.failures.length > 0
  const reason = failed ? (first?.failures.join('; ') ?? 'nothing was run') : null
  return {
    ...shared,
    verdict: failed ? 'fail' : 'pass',
    reason,
    runs: made.runs,
    warnings: [...warnings, ...made.warnings],
  }
}

function describeRefused(name: string): string {
  const { reason, fix } = explainRefusal(name)
  return [`env.${name} is not set: ${reason}`, ...(fix === null ? [] : [fix])].join('; ')
}

type TestRuns = { runs: TestCaseResult['runs']; warnings: string[] } | { error: string }

async function skillRuns(test: Extract<AamTest, { kind: 'skill' }>, at: Place): Promise<TestRuns> {
  for (const file of test.files) {
    if (!(await pathExists(path.join(test.cwd, file)))) return { error: `input file ${file}: no such file` }
  }
  const started = activeNow()
  const ended = await runCommand({ command: test.command, stdin: test.stdin, test }, at)
  return { runs: [{ dialect: null, ...judgeTest(test, ended, started) }], warnings: [] }
}

async function hookRuns(test: Extract<AamTest, { kind: 'hook' }>, at: Place): Promise<TestRuns> {
  const { hooks, root, context } = at
  const groups = hooks?.groups[test.event] ?? []
  const group = groups[test.index]
  if (group === undefined) return { error: `hooks.json has no group ${test.index} of ${test.event}` }
  const commands = group.entries.filter(({ type }) => type === 'command')
  if (commands.length === 0) return { error: `that group of ${test.event} contains no command: prompts need a model` }
  const fixture = await readFixture(test, root).catch((error: unknown) => errorMessage(error))
  if (typeof fixture === 'string') return { error: `fixture ${fixture}` }
  const written = applyOverrides(fixture, test.overrides)
  const own = detectDialect(written)
  const other = own === 'package' ? 'claude-code' : 'package'
  const names = { package: test.event, claudeCode: claudeEvents[test.event] ?? test.event }
  const ask = async (dialect: typeof own, said: Readonly<Record<string, unknown>>) => {
    const started = activeNow()
    const env = { PACKAGE_ROOT: root, CLAUDE_PLUGIN_ROOT: root, CLAUDE_PROJECT_DIR: root, ...test.env }
    const ended = await runGroup(commands, { stdin: JSON.stringify(said), test: { ...test, env } }, at)
    return { dialect, ...judgeTest(test, ended, started) }
  }
  const runs = await Promise.all([ask(own, written), ask(other, toDialect(written, other, names))])
  const warning = await matcherWarning({ tool: readToolName(written), matcher: group.matcher }, context.signal)
  return { runs, warnings: [...hookWarnings(runs), ...warning] }
}

const payload = z.record(z.string(), z.unknown())

async function readFixture({ fixture }: Extract<AamTest, { kind: 'hook' }>, root: string) {
  return fixture === null ? {} : checkAs(payload, parseJson(await readPackageText(root, fixture), fixture), fixture)
}

function hookWarnings([own, other]: TestCaseResult['runs']): string[] {
  const isOneSided = own?.failures.length === 0 && other !== undefined && other.failures.length > 0
  if (!isOneSided) return []
  return [`with the event in the dialect of ${other.dialect} it fails: ${other.failures[0]}; eval sends both dialects`]
}

async function matcherWarning(
  { tool, matcher }: { tool: string | null; matcher: string | null },
  signal: AbortSignal,
): Promise<string[]> {
  if (tool === null || matcher === null) return []
  const fit = await fitsMatcher(matcher, tool, signal)
  if (typeof fit === 'string') return [`${fit}; in a session it would not run`]
  return fit ? [] : [`its matcher ${matcher} does not fit ${tool}: in a session it would not run`]
}

interface Command {
  stdin: string | null
  test: Pick<AamTest, 'cwd' | 'env' | 'timeoutSeconds'>
}

/** `lateAfter`: the timeout in seconds that it exceeded; null: it ended in time. */
type CommandOutcome = ProcessOutcome & { lateAfter: number | null }

/** Runs a group's commands as a session does: one that blocks (2) takes precedence, and each has its own timeout. */
async function runGroup(commands: readonly HookEntry[], how: Command, at: Place): Promise<CommandOutcome> {
  const ends: CommandOutcome[] = []
  for (const { command = '', timeout = Number.POSITIVE_INFINITY } of commands) {
    const timeoutSeconds = Math.min(how.test.timeoutSeconds, timeout)
    ends.push(await runCommand({ ...how, test: { ...how.test, timeoutSeconds }, command }, at))
  }
  const codes = ends.map(({ exitCode }) => exitCode)
  const failed = codes.find((code) => code !== 0)
  return {
    exitCode: codes.includes(2) ? 2 : failed === undefined ? 0 : failed,
    stdout: ends.map(({ stdout }) => stdout).join(''),
    stderr: ends.map(({ stderr }) => stderr).join(''),
    lateAfter: ends.find(({ lateAfter }) => lateAfter !== null)?.lateAfter ?? null,
  }
}

const MiB = 1024 * 1024

/** Runs with the user's environment minus provider keys, since no test may ask a model. */
async function runCommand(of: Command & { command: string }, { place, context }: Place): Promise<CommandOutcome> {
  const { test, stdin, command } = of
  const user = Object.entries(context.env).flatMap(([name, value]) =>
    value === undefined || /^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI)_/.test(name) ? [] : [[name, value] as const],
  )
  using limit = startTimeLimit(test.timeoutSeconds * 1000, [context.signal])
  try {
    const end = await runProcess({
      command: '/bin/sh',
      args: ['-c', command],
      cwd: test.cwd,
      env: { ...Object.fromEntries(user), ...test.env },
      ...(stdin !== null && { stdin }),
      stdoutLimit: MiB,
      stderrTail: MiB,
      signal: limit.signal,
      sandbox: place.sandbox,
    })
    return { exitCode: end.exitCode, stdout: end.stdout, stderr: end.stderrTail, lateAfter: null }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!limit.signal.aborted) return { exitCode: null, stdout: '', stderr: errorMessage(error), lateAfter: null }
    return { exitCode: null, stdout: '', stderr: '', lateAfter: test.timeoutSeconds }
  }
}

function judgeTest({ expected }: AamTest, ended: CommandOutcome, started: number) {
  const { lateAfter } = ended
  const failures = lateAfter === null ? listProcessFailures(expected, ended) : [`no end within ${lateAfter} s`]
  return { exit_code: ended.exitCode, duration_seconds: (activeNow() - started) / 1000, failures }
}
