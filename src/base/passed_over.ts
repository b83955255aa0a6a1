/** Folders of a working folder that are never collected: nobody knows afterwards what an agent left in them. */

/** Made by tools, not by the agent as an outcome. */
export const passedOver: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  '__pycache__',
  '.venv',
  '.pytest_cache',
  '.mypy_cache',
])

/** Where the skills of some engine lie. */
const skillFolders: ReadonlySet<string> = new Set(['.claude', '.agents', '.opencode'])

/** Whether a path or glob names such a folder, or something in one. */
export function isPassedOver(plain: string): boolean {
  const parts = plain.split('/')
  return parts.some((part) => passedOver.has(part)) || skillFolders.has(parts[0] ?? '')
}
