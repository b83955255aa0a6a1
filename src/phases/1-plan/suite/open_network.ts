/** Refuses suites that ask for an open network until the user decides. */
import type { SandboxSettings } from '../../../../schemas/evals.ts'
import { UserError } from '../../../base/errors/error.ts'

/** The user's choice: `network` from --network (null: not given), `mode` from --sandbox. */
export interface NetworkOptions {
  mode: 'auto' | 'required' | 'off'
  network: 'none' | 'open' | null
}

export const openNetwork = {
  message: 'asks for an open network, which only the user may give',
  fix: 'add --network open if you trust the suite, or --network none to run it without a network',
} as const

/** Whether such a suite is refused until the user decides. */
export function needsNetworkFlag(
  settings: SandboxSettings | undefined,
  wish: NetworkOptions | null | undefined,
): boolean {
  if (settings?.network !== 'open' || wish?.mode === 'off') return false
  return (wish?.network ?? null) === null
}

/** Throws UserError if the suite asks for an open network and the user has not decided. `file`: the suite's. */
export function assertNoOpenNetwork(
  file: string,
  settings: SandboxSettings | undefined,
  wish: NetworkOptions | null | undefined,
): void {
  if (needsNetworkFlag(settings, wish))
    throw new UserError(`${file}: sandbox.network ${openNetwork.message}`, openNetwork.fix)
}
