/** From the chosen sandbox to the policy of one room: what an agent, a setup or a check in it may see and change. */
import type { SandboxSettings } from '../../../schemas/evals.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import type { Sandbox, SandboxLimits } from '../../base/sandbox/policy.ts'

export interface RoomParts {
  /** Folders of the room that may be changed, absolute. */
  writable: readonly string[]
  /** What the room holds beside them to read. */
  readable?: readonly string[]
  /** Parts of them that may only be read. */
  readOnly?: readonly string[]
  /** The suite, the results, the skill as its author has it. */
  hidden: readonly string[]
  /** What the suite asks. */
  settings: SandboxSettings | undefined
}

const limits: SandboxLimits = { tmpBytes: 512 * 2 ** 20, fileBytes: 4 * 2 ** 30, processes: 1024 }

/** null: nothing confines here. */
export function confine(choice: SandboxChoice, parts: RoomParts): Sandbox | null {
  const { mechanism, program } = choice
  if (mechanism === 'none' || program === null) return null
  const { writable, readOnly = [], hidden, settings = {} } = parts
  const readable = [...choice.readable, ...(parts.readable ?? [])]
  const network = choice.network ?? settings.network ?? 'none'
  const scratch = settings.writable ?? []
  return { mechanism, program, policy: { readable, writable, readOnly, hidden, scratch, network, tmp: null, limits } }
}

/** What the record says of it. */
export function sandboxUsed(sandbox: Sandbox | null): RunRecord['sandbox'] {
  if (sandbox === null) return { mechanism: 'none', network: 'open' }
  const { network } = sandbox.policy
  return { mechanism: sandbox.mechanism, network: typeof network === 'string' ? network : 'endpoint' }
}

/** The same with the installed skills read-only. */
export function withReadOnly(sandbox: Sandbox, skills: readonly { path: string }[]): Sandbox {
  const readOnly = [...sandbox.policy.readOnly, ...skills.map((skill) => skill.path)]
  return { ...sandbox, policy: { ...sandbox.policy, readOnly } }
}
