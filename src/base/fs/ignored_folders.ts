/** Folders of a workspace that are never collected: their content can't be traced to the agent. */

/** Written by tools, not an outcome of the agent. */
export const ignoredFolders: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  '__pycache__',
  '.venv',
  '.pytest_cache',
  '.mypy_cache',
])

const skillFolders: ReadonlySet<string> = new Set(['.claude', '.agents', '.opencode', '.pi', '.qwen'])

/** Whether a path or glob names such a folder, or something in one. */
export function isIgnoredPath(plain: string): boolean {
  const parts = plain.split('/')
  return parts.some((part) => ignoredFolders.has(part)) || skillFolders.has(parts[0] ?? '')
}
