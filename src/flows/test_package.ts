/** test: the deterministic tests of a package: a process each, checks of what it says, no model asked. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { HookEntry } from '../../schemas/environment.ts'
import type { TestCaseResult, TestResult } from '../../schemas/test_result.ts'
import { messageOf, UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { checkAs, parseJson } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { runProcess } from '../base/spawn.ts'
import { timeLimit } from '../base/time_limit.ts'
import { fitsMatcher } from '../engines/hooks/select.ts'
import { type AamHooks, claudeEvents, readAamHooks } from '../phases/1-plan/formats/aam/hooks.ts'
import { packageText } from '../phases/1-plan/formats/aam/own.ts'
import { unrunTests } from '../phases/1-plan/formats/aam/package.ts'
import { type AamTest, type AamTests, readAamTests } from '../phases/1-plan/formats/aam/tests.ts'
import { dialectOf, inDialect, toolIn, withOverrides } from '../phases/2-run/hook_payload.ts'
import { failuresOf, type ProcessOutcome } from '../phases/3-judge/process_checks.ts'
import type { FlowContext } from './context.ts'

export interface TestRequest {
  /** A package, or a skill with tests. */
  package: string
  /** Only tests of this skill; null: any. */
  skill: string | null
  /** Only tests of hooks, and of what else is named. */
  hooks: boolean
  /** Only tests of hooks of this event. */
  event: string | null
  /** The stem of the one file; null: all. */
  case: string | null
}

/** Runs them one after another: they share the package's folder. Throws UserError where there is none. */
export async function testPackage(request: TestRequest, context: FlowContext): Promise<TestResult> {
  const started_at = context.now().toISOString()
  const root = path.resolve(request.package)
  if (!(await exists(root))) throw new UserError(`${request.package}: no such folder`, 'give the folder of a package')
  if (statSync(root).isFile())
    throw new UserError(`${request.package}: is a file`, `give the folder: ${path.dirname(request.package)}`)
  const found = await readAamTests(root)
  if (found.tests.length === 0) {
    const fix = 'write skills/<name>/tests/cases/*.yaml or hooks/tests/cases/*.yaml; docs/formats.md shows both'
    throw new UserError(`${request.package}: no test found`, fix)
  }
  const tests = chosen(found.tests, request)
  const empty =
    request.case !== null
      ? []
      : found.empty.filter(({ skill }) => isWanted(skill === null ? 'hooks' : { skill }, request))
  if (tests.length + empty.length === 0) throw nothingChosen(request)
  const hooks = await readAamHooks(root)
  const warnings = [
    ...found.warnings,
    ...(await unrunTests(root)),
    ...(hooks?.warnings ?? []).map(({ at, message }) => `${at}: ${message}`),
  ]
  const cases: TestCaseResult[] = empty.map(emptyFolder)
  for (const test of tests) {
    if (context.drain.aborted) break
    cases.push(await performed(test, { hooks, root, context }))
  }
  context.signal.throwIfAborted()
  const count = (verdict: TestCaseResult['verdict']) => cases.filter((one) => one.verdict === verdict).length
  const summary = { total: cases.length, passed: count('pass'), failed: count('fail'), errors: count('error') }
  return { schema_version: 1, package: root, started_at, summary, cases, warnings }
}

function chosen(all: readonly AamTest[], request: TestRequest): AamTest[] {
  const { skill, event, case: stem } = request
  const skills = [...new Set(all.flatMap((one) => (one.kind === 'skill' ? [one.skill] : [])))]
  const events = [...new Set(all.flatMap((one) => (one.kind === 'hook' ? [one.event] : [])))]
  if (skill !== null && !skills.includes(skill)) throw unknown('--skill', skill, skills)
  if (event !== null && !events.includes(event)) throw unknown('--event', event, events)
  const left = all.filter((one) => {
    if (one.kind === 'hook' && event !== null) return one.event === event
    return isWanted(one.kind === 'hook' ? 'hooks' : one, request)
  })
  if (stem === null) return left
  const named = left.filter((one) => one.stem === stem)
  if (named.length > 0) return named
  throw unknown('--case', stem, [...new Set(left.map((one) => one.stem))])
}

/** Tests of a skill or of hooks: --skill and --hooks together mean both. */
function isWanted(of: 'hooks' | { skill: string }, { skill, hooks, event }: TestRequest): boolean {
  if (skill === null && !hooks && event === null) return true
  return of === 'hooks' ? hooks && event === null : of.skill === skill
}

function nothingChosen({ package: folder }: TestRequest): UserError {
  return new UserError(`${folder}: it has no test of hooks`, 'looked for hooks/tests/cases/*.yaml; leave --hooks out')
}

/** Whoever began to write tests there, or took them away, is not told that all is well. */
function emptyFolder({ skill, folder }: AamTests['empty'][number]): TestCaseResult {
  const of = skill === null ? 'hook:' : `skill:${skill}`
  const reason = `${folder}: no case found; looked for cases/*.yaml`
  const nothing = { verdict: 'error' as const, reason, runs: [], warnings: [] }
  return { of, case: 'none', name: 'no case found', file: path.join(folder, 'cases'), ...nothing }
}

function unknown(flag: string, value: string, known: readonly string[]): UserError {
  const near = nearest(value, [...known])
  const hint = near.length > 0 ? `nearest: ${near.join(', ')}` : `there is ${known.slice(0, 8).join(', ') || 'none'}`
  return new UserError(
    `${flag} ${value}: no such test`,
    flag === '--case' ? `${hint} (the file's name, without .yaml)` : hint,
  )
}

interface Place {
  hooks: AamHooks | null
  root: string
  context: FlowContext
}

async function performed(test: AamTest, place: Place): Promise<TestCaseResult> {
  const shared = {
    of: test.kind === 'skill' ? `skill:${test.skill}` : `hook:${test.event}`,
    ...{ case: test.stem, name: test.name, file: test.file },
    ...(test.description !== null && { description: test.description }),
  }
  const warnings = test.unknown.map(({ at, message }) => `${at}: ${message}`)
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

type Made = { runs: TestCaseResult['runs']; warnings: string[] } | { error: string }

async function skillRuns(test: Extract<AamTest, { kind: 'skill' }>, { context }: Place): Promise<Made> {
  for (const file of test.files) {
    if (!(await exists(path.join(test.cwd, file)))) return { error: `input file ${file}: no such file` }
  }
  const started = performance.now()
  const ended = await runCommand({ command: test.command, stdin: test.stdin, test }, context)
  return { runs: [{ dialect: null, ...judged(test, ended, started) }], warnings: [] }
}

async function hookRuns(test: Extract<AamTest, { kind: 'hook' }>, { hooks, root, context }: Place): Promise<Made> {
  const groups = hooks?.groups[test.event] ?? []
  const group = groups[test.index]
  if (group === undefined) return { error: `hooks.json has no group ${test.index} of ${test.event}` }
  const commands = group.entries.filter(({ type }) => type === 'command')
  if (commands.length === 0) return { error: `that group of ${test.event} holds no command: prompts need a model` }
  const fixture = await fixtureOf(test, root).catch((error: unknown) => messageOf(error))
  if (typeof fixture === 'string') return { error: `fixture ${fixture}` }
  const written = withOverrides(fixture, test.overrides)
  const own = dialectOf(written)
  const other = own === 'package' ? 'claude-code' : 'package'
  const names = { package: test.event, claudeCode: claudeEvents[test.event] ?? test.event }
  const ask = async (dialect: typeof own, said: Readonly<Record<string, unknown>>) => {
    const started = performance.now()
    const env = { PACKAGE_ROOT: root, CLAUDE_PLUGIN_ROOT: root, CLAUDE_PROJECT_DIR: root, ...test.env }
    const ended = await runGroup(commands, { stdin: JSON.stringify(said), test: { ...test, env } }, context)
    return { dialect, ...judged(test, ended, started) }
  }
  const runs = await Promise.all([ask(own, written), ask(other, inDialect(written, other, names))])
  const warning = await matcherWarning({ tool: toolIn(written), matcher: group.matcher }, context.signal)
  return { runs, warnings: [...hookWarnings(runs), ...warning] }
}

const payload = z.record(z.string(), z.unknown())

async function fixtureOf({ fixture }: Extract<AamTest, { kind: 'hook' }>, root: string) {
  return fixture === null ? {} : checkAs(payload, parseJson(await packageText(root, fixture), fixture), fixture)
}

function hookWarnings([own, other]: TestCaseResult['runs']): string[] {
  const isOneSided = own?.failures.length === 0 && other !== undefined && other.failures.length > 0
  if (!isOneSided) return []
  return [`told in the words of ${other.dialect} it fails: ${other.failures[0]}; eval tells it in both`]
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

/** `lateAfter`: the seconds that it had and did not end in; null: it ended. */
type Ended = ProcessOutcome & { lateAfter: number | null }

/** All commands of a group, as a session takes them: one that blocks (2) wins over others, and none has longer than its own timeout. */
async function runGroup(commands: readonly HookEntry[], how: Command, context: FlowContext): Promise<Ended> {
  const ends: Ended[] = []
  for (const { command = '', timeout = Number.POSITIVE_INFINITY } of commands) {
    const timeoutSeconds = Math.min(how.test.timeoutSeconds, timeout)
    ends.push(await runCommand({ ...how, test: { ...how.test, timeoutSeconds }, command }, context))
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

/** It sees the user's environment without keys of providers: nothing of it is to ask a model. */
async function runCommand(of: Command & { command: string }, context: FlowContext): Promise<Ended> {
  const { test, stdin, command } = of
  const user = Object.entries(context.env).flatMap(([name, value]) =>
    value === undefined || /^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI)_/.test(name) ? [] : [[name, value] as const],
  )
  using limit = timeLimit(test.timeoutSeconds * 1000, [context.signal])
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
    })
    return { exitCode: end.exitCode, stdout: end.stdout, stderr: end.stderrTail, lateAfter: null }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!limit.signal.aborted) return { exitCode: null, stdout: '', stderr: messageOf(error), lateAfter: null }
    return { exitCode: null, stdout: '', stderr: '', lateAfter: test.timeoutSeconds }
  }
}

function judged({ expected }: AamTest, ended: Ended, started: number) {
  const { lateAfter } = ended
  const failures = lateAfter === null ? failuresOf(expected, ended) : [`no end within ${lateAfter} s`]
  return { exit_code: ended.exitCode, duration_seconds: (performance.now() - started) / 1000, failures }
}
