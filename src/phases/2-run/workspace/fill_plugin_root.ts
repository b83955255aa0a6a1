/** Puts the place of a plugin's copy into its skills, commands and sub-agents, as Claude Code does for an installed plugin. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Environment } from '../../../../schemas/suite.ts'
import type { InstalledSkill } from '../../../engines/engine.ts'

interface InstalledParts {
  /** The agent's working folder, absolute. */
  cwd: string
  /** The folder that contains the plugin's copy, absolute. */
  folder: string
  skills: readonly InstalledSkill[]
}

/** Changes only texts that name ${CLAUDE_PLUGIN_ROOT}, and none if the parts are not a plugin's. */
export async function fillPluginRoot(wanted: Environment | undefined, { cwd, folder, skills }: InstalledParts) {
  if (wanted?.plugin === undefined) return
  const root = path.join(folder, wanted.plugin.folder)
  const texts = [
    ...wanted.agents.map((file) => path.join(cwd, '.claude/agents', file.path)),
    ...(wanted.commands ?? []).map((file) => path.join(cwd, '.claude/commands', file.path)),
    ...skills.flatMap((skill) => [skill.path, ...(skill.copies ?? [])]).map((place) => path.join(place, 'SKILL.md')),
  ]
  for (const file of texts) {
    const text = await readFile(file, 'utf8')
    if (!text.includes(variable)) continue
    const { mode } = await stat(file)
    await rm(file) // it may be read-only
    await writeFile(
      file,
      text.replaceAll(variable, () => root),
      { mode },
    )
  }
}

const variable = `\${CLAUDE_PLUGIN_ROOT}`
