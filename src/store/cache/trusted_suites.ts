/** Remembers by content hash what the user has approved: an empty file each, in the user's state folder, outside of workspaces. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** Absolute; null: the environment names no home, so nothing is remembered. */
function trustFolder({ XDG_STATE_HOME: state, HOME: home }: Env): string | null {
  const base = state && path.isAbsolute(state) ? state : home ? path.join(home, '.local/state') : null
  return base === null ? null : path.join(base, 'whetstone/trusted')
}

/** Whether all of these hashes (hex) are remembered. */
export function isTrusted(hashes: readonly string[], env: Env): boolean {
  const folder = trustFolder(env)
  return folder !== null && hashes.every((hash) => existsSync(path.join(folder, hash)))
}

/** Does nothing in a home that is not writable: the user is asked again. */
export function rememberTrust(hashes: readonly string[], env: Env): void {
  const folder = trustFolder(env)
  if (folder === null) return
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const hash of hashes) writeFileSync(path.join(folder, hash), '')
  } catch {
    // the user is asked again next time
  }
}
