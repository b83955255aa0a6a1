/** Refuses suites that ask for an open network until the user decides. */
import type { SandboxSettings } from '../../../../schemas/evals.ts'
import { UserError } from '../../../base/errors/error.ts'

/** The user's choice: `network` from --network (null: not given), `mode` from --sandbox. */
export interface NetworkOptions {
  mode: 'auto' | 'required' | 'off'
  network: 'none' | 'setup' | 'open' | null
}

/** What such a suite asks for and how the user decides; null: it asks for nothing, or the user has decided. */
export function describeNetworkNeed(
  settings: SandboxSettings | undefined,
  wish: NetworkOptions | null | undefined,
): { message: string; fix: string } | null {
  if (wish?.mode === 'off' || (wish?.network ?? null) !== null) return null
  const { network = 'none' } = settings ?? {}
  const phases = typeof network === 'string' ? { agent: network } : network
  if (phases.agent === 'open' || phases.checks === 'open') {
    return {
      message: 'asks for an open network, which only the user may give',
      fix: 'add --network open if you trust the suite, or --network none to run it without a network',
    }
  }
  if (phases.setup !== 'open') return null
  return {
    message: 'asks for an open network for setup, which only the user may give',
    fix: 'add --network setup if you trust the commands of setup, or --network none to run it without a network',
  }
}

/** Throws UserError if the suite asks for an open network and the user has not decided. `file`: the suite's. */
export function assertNoOpenNetwork(
  file: string,
  settings: SandboxSettings | undefined,
  wish: NetworkOptions | null | undefined,
): void {
  const need = describeNetworkNeed(settings, wish)
  if (need !== null) throw new UserError(`${file}: sandbox.network ${need.message}`, need.fix)
}
