/** Chooses the sandbox at the start of a benchmark, reports it in one line, and records it in the plan. */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { KeyParts } from '../../../schemas/cache.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import {
  chooseSandbox,
  noSandboxWish,
  probeSandbox,
  type SandboxChoice,
  type SandboxWish,
} from '../../base/sandbox/choose.ts'
import { reapGroups } from '../../base/sandbox/process_limit.ts'
import { findBenchmarkWorkspace } from '../../store/paths.ts'
import type { FlowContext } from '../flow_context.ts'

/**
 * Chooses, and adds one line to `choices`. Throws UserError if a sandbox is required and none works, or if it keeps agents from a server of
 * the suite.
 */
export async function startSandbox(
  wish: SandboxWish | null | undefined,
  { choices, plan }: { choices: string[]; plan?: Plan },
  context: FlowContext,
): Promise<SandboxChoice> {
  const sandbox = await chooseSandbox(wish ?? noSandboxWish, context.env.PATH ?? '')
  if (plan !== undefined) assertServersReachable(plan, sandbox)
  if (sandbox.mechanism === 'bubblewrap') await reapGroups()
  choices.push(describeSandbox(sandbox))
  return sandbox
}

/** Each run would fail after it has started: its agent can't reach a server with a URL without a network. */
function assertServersReachable({ runs, suite }: Plan, { mechanism, network }: SandboxChoice): void {
  if (mechanism === 'none' || network === 'open') return
  for (const { environment } of runs) {
    const { mcp_servers = {}, recordings = {} } = environment ?? {}
    const found = Object.keys(mcp_servers).find((name) => mcp_servers[name]?.url && recordings[name] === undefined)
    if (found === undefined) continue
    throw new UserError(
      `${suite.path}: the MCP server ${found} has a url, and agents in the sandbox have no network`,
      'add --network open if you trust the suite',
    )
  }
}

/** Starts the probe that startSandbox waits for, so that it runs while the plan is read: alone it takes a tenth of a dry run. */
export function probeSandboxEarly(wish: SandboxWish | null | undefined, { env }: FlowContext): void {
  if (wish?.mode !== 'off') probeSandbox(env.PATH ?? '').catch(() => {}) // startSandbox meets the same error
}

function describeSandbox({ mechanism, reason, network }: SandboxChoice): string {
  if (mechanism === 'none') return `sandbox: none (${reason}); agents run as you`
  return `sandbox: ${reason}${networkWords[network ?? 'none']}`
}

const networkWords = {
  none: '',
  setup: '; network open for setup, as asked',
  open: '; network open, as asked',
} as const

export function withSandbox(plan: Plan, { mechanism, reason, network }: SandboxChoice): Plan {
  return { ...plan, sandbox: { mechanism, reason, ...(network && { network }) } }
}

export function buildSandboxKeyParts({ sandbox }: Plan): KeyParts {
  return { 'sandbox in use': [sandbox?.mechanism ?? 'unknown', sandbox?.network].filter(Boolean).join(', network ') }
}

/** Paths hidden from all agents: the author's skill, the suite, the results. */
export function listHiddenPaths(plan: Plan, workspace: string): string[] {
  const [skill = plan.skill.path] = plan.skill.path.split(' at git:')
  return [...new Set([...listSkillHiddenPaths(skill, plan.suite.path), workspace])]
}

/** The same for a benchmark on disk, with its workspace; outside a workspace, only the benchmark itself. */
export function listBenchmarkHiddenPaths(plan: Plan, folder: string): string[] {
  const real = realpathSync(folder)
  return listHiddenPaths(plan, findBenchmarkWorkspace(real) ?? real)
}

export function listSkillHiddenPaths(skill: string, suite: string): string[] {
  return [skill, path.basename(path.dirname(suite)) === 'evals' ? path.dirname(suite) : suite]
}
