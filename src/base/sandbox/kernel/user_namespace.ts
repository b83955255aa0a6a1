/** Checks whether root's sandboxes get a user namespace of their own, where no capability of the host can be regained. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const namespaceTrials = new Map<string, Promise<boolean>>()

/**
 * Checked once per program. An ordinary user's sandbox always has a user namespace, because bubblewrap can't start without one.
 * Root's works without one too, for instance in a container that forbids them.
 */
export function hasUserNamespace(bubblewrap: string): Promise<boolean> {
  const isThere = namespaceTrials.get(bubblewrap) ?? tryUserNamespace(bubblewrap)
  namespaceTrials.set(bubblewrap, isThere)
  return isThere
}

async function tryUserNamespace(bubblewrap: string): Promise<boolean> {
  const args = ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', '--', '/bin/sh', '-c', ':']
  return await promisify(execFile)(bubblewrap, args, { timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}
