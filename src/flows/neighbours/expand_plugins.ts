/** Replaces each plugin among the named places by its skills that have a suite. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { manifestPath } from '../../phases/1-plan/plugin/find_plugin.ts'
import { readPlugin } from '../../phases/1-plan/plugin/read_plugin.ts'
import { hasSuite } from '../../phases/1-plan/suite/load_suite.ts'

export interface ExpandedPlugins {
  places: string[]
  /** Whether there was a plugin. */
  hasPlugin: boolean
  passedOver: { place: string; reason: string }[]
}

/** `suite`: of all skills; absent: each has its own. Throws UserError for a broken plugin, and for one without a suite. */
export async function expandPlugins(given: readonly string[], suite: string | undefined): Promise<ExpandedPlugins> {
  const expanded: ExpandedPlugins = { places: [], hasPlugin: false, passedOver: [] }
  for (const place of given) {
    const root = path.resolve(place)
    const isPlugin = existsSync(path.join(root, manifestPath)) && !existsSync(path.join(root, 'SKILL.md'))
    if (!isPlugin) {
      expanded.places.push(place)
      continue
    }
    expanded.hasPlugin = true
    const { name, skills } = await readPlugin(root)
    const found: string[] = []
    for (const skill of skills) {
      const shown = path.relative(process.cwd(), skill.path) || '.'
      if (suite !== undefined || (await hasSuite(skill.path))) found.push(shown)
      else expanded.passedOver.push({ place: shown, reason: 'it has no suite' })
    }
    if (found.length === 0)
      throw new UserError(
        `plugin ${name} (${root}): ${skills.length === 0 ? 'it has no skill' : 'none of its skills has a suite'}`,
        skills.length === 0
          ? 'add a skill below skills/'
          : `write one with whetstone init ${path.relative(process.cwd(), skills[0]?.path ?? root)}`,
      )
    expanded.places.push(...found)
  }
  return expanded
}
