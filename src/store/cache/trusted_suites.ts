/** Remembers by content hash what the user has approved: an empty file each, in the user's state folder, outside of workspaces. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type StateEnv, stateFolder } from '../../base/fs/state_folder.ts'

/** null: nothing is remembered. */
function trustFolder(env: StateEnv): string | null {
  const state = stateFolder(env)
  return state === null ? null : path.join(state, 'trusted')
}

/** Whether all of these hashes (hex) are remembered. */
export function isTrusted(hashes: readonly string[], env: StateEnv): boolean {
  const folder = trustFolder(env)
  return folder !== null && hashes.every((hash) => existsSync(path.join(folder, hash)))
}

/** Does nothing in a home that is not writable: the user is asked again. */
export function rememberTrust(hashes: readonly string[], env: StateEnv): void {
  const folder = trustFolder(env)
  if (folder === null) return
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const hash of hashes) writeFileSync(path.join(folder, hash), '')
  } catch {
    // the user is asked again next time
  }
}
