/** Authorizes and confines what a package's tests start, like a suite's commands. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { SuiteCommand } from '../../../schemas/suite_command.ts'
import { hashWalk, walk } from '../../base/fs/files.ts'
import { openTempDir, type TempDir } from '../../base/fs/temp_dir.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { chooseSandbox, noSandboxWish, type SandboxWish } from '../../base/sandbox/choose.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import { type VariableRule, variableRule } from '../../base/secrets/suite_variables.ts'
import { authorizeCommands, resolveConfinement } from '../../flows/authorize/suite_commands.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { mergeCommands } from '../../phases/1-plan/suite/suite_commands.ts'
import { confine } from '../../phases/2-run/workspace/sandbox_policy.ts'
import type { AamHooks } from './hooks.ts'
import type { AamTest } from './read_tests.ts'

interface TestStart {
  /** The package, absolute. */
  root: string
  tests: readonly AamTest[]
  hooks: AamHooks | null
  wish: SandboxWish | null | undefined
}

/** Where a test's processes run. */
export interface TestPlace extends AsyncDisposable {
  commands: SuiteCommand[]
  /** null: unconfined. */
  sandbox: Sandbox | null
  /** Which variables the tests may set. */
  rule: VariableRule
  /** Home and temp directory inside the sandbox; empty without one. */
  env: Record<string, string>
}

/** Throws UserError unless the commands may start. */
export async function openTestPlace(start: TestStart, context: FlowContext): Promise<TestPlace> {
  const { root, tests, hooks, wish } = start
  const choice = await chooseSandbox(wish ?? noSandboxWish, context.env.PATH ?? '')
  const commands = mergeCommands(
    tests.map((test) => ({ name: describeTest(test), commands: listTestCommands(test, hooks) })),
  )
  const { files } = await walk(root, { skip: (name) => /^(\.git|workspaces)$/.test(name), unreadable: 'leave_out' })
  const hashes = [sha256(canonicalJson({ commands, files: await hashWalk(files) }))]
  await authorizeCommands({ file: root, commands, hashes, confinement: resolveConfinement(choice, wish) }, context)
  const tempDir = choice.mechanism === 'none' ? null : await openTempDir()
  const sandbox = tempDir && confine(choice, { writable: [root, tempDir.path], hidden: [], settings: undefined })
  return {
    commands,
    sandbox,
    rule: variableRule(wish),
    env: tempDir === null ? {} : await prepareTestHome(tempDir),
    async [Symbol.asyncDispose]() {
      await tempDir?.[Symbol.asyncDispose]()
    },
  }
}

async function prepareTestHome(tempDir: TempDir): Promise<Record<string, string>> {
  const temporary = path.join(tempDir.path, 'tmp')
  await mkdir(temporary, { recursive: true })
  return { HOME: tempDir.path, TMPDIR: temporary }
}

function describeTest(test: AamTest): string {
  return `${test.kind === 'skill' ? `skill:${test.skill}` : `hook:${test.event}`} ${test.stem}`
}

function listTestCommands(test: AamTest, hooks: AamHooks | null) {
  if (test.mistakes.length > 0) return []
  if (test.kind === 'skill') return [{ kind: 'test' as const, command: test.command }]
  const entries = hooks?.groups[test.event]?.[test.index]?.entries ?? []
  return entries.flatMap(({ command }) =>
    command === undefined ? [] : [{ kind: 'hook' as const, command: `${test.event}: ${command}` }],
  )
}
