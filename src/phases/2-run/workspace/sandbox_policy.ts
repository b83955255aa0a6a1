/** Builds the sandbox policy of one temp directory: what an agent, a setup or a check may read and write there. */
import type { SandboxSettings } from '../../../../schemas/evals.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import type { Sandbox, SandboxLimits, SandboxPlace, SandboxPolicy } from '../../../base/sandbox/policy.ts'

export interface SandboxFolders {
  /** Writable folders of the temp directory, absolute. */
  writable: readonly string[]
  /** Further folders of the temp directory to read. */
  readable?: readonly string[]
  /** Parts of the writable folders that are read-only. */
  readOnly?: readonly string[]
  /** The suite, the results and the author's copy of the skill. */
  hidden: readonly string[]
  settings: SandboxSettings | undefined
  /** What runs there; absent: the agent, a check or a judge. */
  phase?: 'setup'
  /** A folder that is shown as /tmp; absent: an empty one that is removed with the process. */
  tmp?: string
  /** Where a sandbox with a file system of its own shows these folders; absent: at their own paths. */
  places?: readonly SandboxPlace[]
}

const limits: SandboxLimits = { tmpBytes: 512 * 2 ** 20, fileBytes: 4 * 2 ** 30, processes: 1024 }

export function confine(choice: SandboxChoice, parts: SandboxFolders): Sandbox | null {
  const { mechanism, program } = choice
  if (mechanism === 'none' || program === null) return null
  return { mechanism, program, policy: buildPolicy(choice, parts) }
}

/** The policies of a Harbor task's world: of its programs, and the network while it is built. */
export function worldPolicies(choice: SandboxChoice, parts: SandboxFolders) {
  return {
    sandbox: confine(choice, parts),
    policy: buildPolicy(choice, parts),
    buildNetwork: buildPolicy(choice, { ...parts, phase: 'setup' }).network,
  }
}

/** The policy alone, whatever enforces it. */
function buildPolicy(choice: SandboxChoice, parts: SandboxFolders): SandboxPolicy {
  const { writable, readOnly = [], hidden, settings = {} } = parts
  const readable = [...choice.readable, ...(parts.readable ?? [])]
  // the suite's setting does not count: only the user opens the network
  const isOpen = choice.network === 'open' || (choice.network === 'setup' && parts.phase === 'setup')
  const network = isOpen ? 'open' : 'none'
  return {
    readable,
    writable,
    readOnly,
    hidden,
    scratch: settings.writable ?? [],
    network,
    tmp: parts.tmp ?? null,
    ...(choice.mechanism === 'bubblewrap' && parts.places && { places: parts.places }),
    limits,
  }
}

export function toSandboxRecord(sandbox: Sandbox | null): RunRecord['sandbox'] {
  if (sandbox === null) return { mechanism: 'none', network: 'open' }
  const { network } = sandbox.policy
  return { mechanism: sandbox.mechanism, network: typeof network === 'string' ? network : 'endpoint' }
}

/** Makes further files and folders of the writable ones read-only, absolute. */
export function protectFiles(sandbox: Sandbox, files: readonly string[]): Sandbox {
  return { ...sandbox, policy: { ...sandbox.policy, readOnly: [...sandbox.policy.readOnly, ...files] } }
}
