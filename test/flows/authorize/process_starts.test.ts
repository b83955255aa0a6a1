/** Every place in the source that starts a process, and the gate of those that a suite, a skill or a repository names. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listEngineNames } from '../../../src/engines/table.ts'

const root = path.join(import.meta.dirname, '../../..')

interface Source {
  file: string
  /** Without comments. */
  text: string
}

const sources: Source[] = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:ts|mjs)$/.test(name))
  .map((name) => {
    const text = readFileSync(path.join(root, 'src', name), 'utf8')
    return { file: name.replaceAll(path.sep, '/'), text: text.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '') }
  })

/** What starts a process or loads code: Node's own ways, the libraries', and Whetstone's one helper. */
const starters =
  /\b(?:spawn|spawnSync|execFile|execFileSync|execSync|fork|runProcess|StdioClientTransport|execa\w*)\)?\(|\bnew (?:Worker|Function|vm\.Script)\(|(?<![.\w])(?:exec|eval)\((?!\?)|\brunIn\w*Context\(|\bimport\((?!['`])/

/** A file that starts a program of Whetstone's, the system's or the user's own, whatever a suite says. */
const ownPrograms: Record<string, string> = {
  'features/harbor/client.ts': 'docker or podman',
  'base/container.ts': 'docker or podman',
  'base/fs/temp_dir.ts': 'rm',
  'base/process/git.ts': "git, without the programs that a repository's configuration names (git.test.ts)",
  'base/process/spawn.ts': 'the helper itself',
  'base/process/time_limited_worker.ts': 'a worker thread with a text of Whetstone',
  'base/sandbox/choose.ts': 'bwrap or sandbox-exec',
  'base/sandbox/forward.mjs': 'inside the sandbox: the program that runProcess was asked for',
  'base/sandbox/enter.ts': 'bwrap',
  'base/sandbox/enter_seatbelt.ts': 'loads an optional package by its name',
  'features/github/bench_action.ts': 'whetstone itself',
  'engines/cli/agent_cli.ts': "the user's agent program",
  'engines/codex/argv.ts': "the user's agent program",
  'features/doctor/machine.ts': 'git',
  'flows/improve/propose/static_checks.ts': 'parsers, which run nothing of the file',
  'flows/eval/write_reports.ts': 'python3 --version, in /',
  'features/queue/server/backend.ts': 'loads an optional package by its name',
  'features/documents/documents.ts': 'node with a file of Whetstone',
  'features/documents/readers/main.mjs': 'a thread that ends this process at its limits',
}

/**
 * A file of engines or phases that starts what a suite, a skill or a repository brings, or the agent, which starts it. It is reached
 * through one of `gatedSteps` only.
 */
const suitePrograms: Record<string, string> = {
  'features/acp/agent_process.ts': 'the agent',
  'engines/claude_code/claude_code.ts': 'the agent',
  'engines/cli/headless_cli.ts': 'the agent',
  'engines/codex/codex.ts': 'the agent',
  'features/command/any_program.ts': 'the agent',
  'engines/hooks/hooks.ts': 'hooks',
  'engines/tool_loop/server_process.ts': 'MCP servers, also of record-mcp',
  'engines/tool_loop/tools/table.ts': "the agent's commands",
  'engines/tool_loop/tools/grep.ts': "the agent's searches",
  'features/opencode/opencode.ts': 'the agent, which starts MCP servers',
  'features/aam/test_package.ts': 'tests and hooks of a package',
  'features/aam/hooks.ts': 'the text of a hook, for engines/hooks and the agent',
  'features/other_suites/case_list.ts': 'the text of a check, for run_verifier.ts',
  'features/other_suites/skill_up_criteria.ts': 'the text of a check, for run_verifier.ts',
  'features/harbor/run_in_world.ts': 'builds and verifiers of Harbor tasks',
  'phases/2-run/workspace/shell_step.ts': 'setup, teardown, git of a case',
  'phases/3-judge/checks/javascript.ts': 'the text of a check, for run_verifier.ts',
  'phases/3-judge/checks/verifier/run_verifier.ts': 'command, script and javascript checks',
}

/** The steps that start them. */
const gatedSteps =
  /\b(?:performRun|execute|gradeRun|computeGrading|gradeStoredRun|prepareWorkspace|restoreWorkspace|decideCheck|runVerifier|runBeforeAgent|openWorld|verifyWorld|solveWorld|runInWorld|runProcess|openTestPlace|startServer|tryAnswers|tryTasks)\(|\bnew ServerProcess\(/

/** Each flow that takes such a step, and the file whose gate was passed before. */
const gates: Record<string, string> = {
  'features/check/check.ts': 'features/check/check.ts',
  'features/check/trial_answers.ts': 'features/check/check.ts',
  'features/harbor/plain_world.ts': 'flows/prepare/check_start.ts',
  'features/harbor/run_in_world.ts': 'flows/prepare/check_start.ts',
  'features/harbor/steps.ts': 'features/harbor/steps.ts',
  'features/harbor/verify.ts': 'flows/prepare/check_start.ts',
  'flows/bench/bench.ts': 'flows/prepare/check_start.ts',
  'flows/bench/rerun.ts': 'flows/bench/rerun.ts',
  'flows/eval/eval.ts': 'flows/prepare/check_start.ts',
  'flows/grade/grade.ts': 'flows/authorize/suite_commands.ts',
  'flows/improve/certify/certify_best.ts': 'flows/improve/session/open_session.ts',
  'flows/improve/propose/propose.ts': 'flows/improve/session/open_session.ts',
  // gradings after the runs of a command, and of grade
  'flows/judge/grade_stored_run.ts': 'flows/authorize/suite_commands.ts',
  'flows/older_runs/test_older_runs.ts': 'flows/prepare/check_start.ts',
  'features/queue/worker/perform_job.ts': 'features/queue/worker/perform_job.ts',
  'features/rank/rank.ts': 'flows/prepare/check_start.ts',
  'features/record_mcp/record_mcp.ts': 'features/record_mcp/record_mcp.ts',
  'flows/run/execute.ts': 'flows/prepare/check_start.ts',
  'features/aam/test_commands.ts': 'features/aam/test_commands.ts',
  'features/aam/test_package.ts': 'features/aam/test_commands.ts',
  'features/triggers/measure/measurement.ts': 'flows/prepare/check_start.ts',
}

/** Flows that decide checks before the gate, and what in their text leaves out those that start a program. */
const withoutPrograms: Record<string, RegExp> = {
  'flows/dead_checks/find_dead_checks.ts': /isProgramCheck\(check\)\) return false/,
}

const gate = /\b(?:authorizeCommands|refuseCommands)\b(?!,)[^\n]*\(/

function findUnlisted(found: readonly Source[], pattern: RegExp, listed: Record<string, string>): string[] {
  return found.filter(({ file, text }) => pattern.test(text) && !Object.hasOwn(listed, file)).map(({ file }) => file)
}

describe('a process is started', () => {
  const known = { ...ownPrograms, ...suitePrograms }
  test('only where this table says what it starts', () => expect(findUnlisted(sources, starters, known)).toEqual([]))
  test('and every place of the table still does', () => {
    expect(
      Object.keys(known).filter((file) => !sources.some((one) => one.file === file && starters.test(one.text))),
    ).toEqual([])
  })
  test.each([
    'spawn(server.command ?? "", [])',
    'new StdioClientTransport({ command })',
    'await promisify(execFile)(script)',
    'execaCommand(hook.command)',
    'new Worker(check.script)',
    'eval(check.code)',
    'await import(suite.script)',
  ])('a new place is noticed: %s', (text) => {
    expect(findUnlisted([{ file: 'flows/new.ts', text }], starters, known)).toEqual(['flows/new.ts'])
  })
})

describe('what a suite, a skill or a repository brings is started', () => {
  const isEngine = (file: string) => listEngineNames().includes(file.split('/')[1] ?? '')
  const flows = sources.filter(
    ({ file }) =>
      /^(?:flows|features|cli|runners)\//.test(file) && !Object.hasOwn(ownPrograms, file) && !isEngine(file),
  )
  const places = Object.fromEntries([...Object.keys(gates), ...Object.keys(withoutPrograms)].map((file) => [file, '']))
  test('only by flows that this table names', () => expect(findUnlisted(flows, gatedSteps, places)).toEqual([]))
  test('and every flow of the table still does', () => {
    expect(
      Object.keys(places).filter((file) => !flows.some((one) => one.file === file && gatedSteps.test(one.text))),
    ).toEqual([])
  })
  test.each([...new Set(Object.values(gates))])('%s asks the gate', (file) => {
    expect(sources.find((one) => one.file === file)?.text).toMatch(gate)
  })
  test.each(Object.entries(withoutPrograms))('%s decides no check that starts a program', (file, pattern) => {
    expect(sources.find((one) => one.file === file)?.text).toMatch(pattern)
  })
  test.each([
    'await performRun(request)',
    'await restoreWorkspace(target, record)',
    'await decideCheck(check, context)',
    'runVerifier(program)',
    'runBeforeAgent(files)',
    'await runInWorld(world, program)',
  ])('a new flow is noticed: %s', (text) => {
    expect(findUnlisted([{ file: 'flows/new.ts', text }], gatedSteps, places)).toHaveLength(1)
  })
})
