/** The user's state folder, outside of workspaces: what a suite or an agent in a workspace must not decide is remembered there. */
import path from 'node:path'

export type StateEnv = Readonly<Record<string, string | undefined>>

/** Absolute; null: the environment names no home. */
export function stateFolder({ XDG_STATE_HOME: state, HOME: home }: StateEnv): string | null {
  const base = state && path.isAbsolute(state) ? state : home ? path.join(home, '.local/state') : null
  return base === null ? null : path.join(base, 'whetstone')
}
