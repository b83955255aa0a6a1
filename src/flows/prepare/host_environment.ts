/** Checks what agents get from this machine: files in the folders above their working folders, and environment variables. */
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import type { FlowContext } from '../flow_context.ts'

/** What agents look for in every folder from their working folder up to the root. */
const strays = [
  ...['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', '.claude/skills'],
  ...['.claude/rules', '.claude/agents', '.claude/commands'],
  ...['AGENTS.md', '.agents/skills', 'opencode.json', 'opencode.jsonc', '.opencode'],
  ...['.github/skills', '.github/instructions', '.github/copilot-instructions.md'],
  ...['GEMINI.md', '.gemini/skills', '.pi/skills'],
  ...['QWEN.md', '.qwen/QWEN.local.md', '.qwen/skills'],
]

/** Throws UserError when a folder above `room` has instructions or skills that no case asked for. */
export async function refuseStrayInstructions(tempDir: string): Promise<void> {
  const above = path.dirname(tempDir)
  for (const folder of listAncestors(above)) {
    for (const name of strays) {
      const file = path.join(folder, name)
      if (!(await pathExists(file))) continue
      throw new UserError(
        `${file}: agents that work below ${above} read it, although no case asks for it`,
        'set TMPDIR to a folder without such a file above it',
      )
    }
  }
}

function listAncestors(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...listAncestors(parent)]
}

/** Adds a line to `choices` for each variable of --pass-env that is not set. A pipeline may pass optional ones, so nothing is refused. */
export function reportUnsetVariables(
  { passEnv }: { passEnv: readonly string[] },
  { choices }: { choices: string[] },
  { env }: Pick<FlowContext, 'env'>,
): void {
  for (const name of new Set(passEnv))
    if (env[name] === undefined)
      choices.push(`--pass-env ${name}: not set here, so runs on this machine start without it`)
}
