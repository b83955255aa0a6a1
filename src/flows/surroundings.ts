/** What lies above the folders in which agents work: they read some of it by themselves, in both arms. */
import path from 'node:path'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'

/** What agents look for in every folder from the one they work in up to the root. */
const strays = [
  ...['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', '.claude/skills'],
  ...['.claude/rules', '.claude/agents', '.claude/commands'],
  ...['AGENTS.md', '.agents/skills', 'opencode.json', 'opencode.jsonc', '.opencode'],
]

/** Throws UserError when a folder above `room` holds instructions or skills that no case asked for. */
export async function refuseStrayInstructions(room: string): Promise<void> {
  const above = path.dirname(room)
  for (const folder of upwards(above)) {
    for (const name of strays) {
      const file = path.join(folder, name)
      if (!(await exists(file))) continue
      throw new UserError(
        `${file}: agents that work below ${above} read it, and it is no part of any case`,
        'set TMPDIR to a folder that has nothing of the kind above it',
      )
    }
  }
}

function upwards(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...upwards(parent)]
}
