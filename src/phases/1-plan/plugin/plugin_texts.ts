/** Reads the parts of a plugin that are texts: skills, sub-agents and commands. */
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { InputFile, Skill } from '../../../../schemas/suite.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { listEntries, pathExists, walk } from '../../../base/fs/files.ts'
import { readSkill } from '../skill/read_skill.ts'
import { hashFileContent } from '../suite/input_files.ts'
import { manifestPath } from './find_plugin.ts'
import type { PluginReading } from './plugin_reading.ts'

/** The skills below skills/ and below the folders that the manifest names, by folder. */
export async function readPluginSkills({ root, manifest, problems, links }: PluginReading): Promise<Skill[]> {
  const usual = (await pathExists(path.join(root, 'skills'))) ? ['skills'] : []
  const folders = new Set<string>()
  for (const place of [...usual, ...toList(manifest.skills)]) {
    const folder = path.join(root, place)
    const found = await listSkillFolders(folder)
    if (found.length === 0 && place !== 'skills') problems.push(`${manifestPath}: skills: no skill in ${place}`)
    for (const one of found) folders.add(one)
  }
  const skills: Skill[] = []
  for (const folder of folders) {
    const found = await readSkill(folder, links).catch((error: unknown) => errorMessage(error))
    if (typeof found === 'string') {
      problems.push(found.replaceAll(`${root}${path.sep}`, ''))
      continue
    }
    const twin = skills.find(({ name }) => name === found.skill.name)
    const place = (one: string) => path.relative(root, one) || '.'
    if (twin) problems.push(`two skills are named ${twin.name}: ${place(twin.path)} and ${place(folder)}`)
    skills.push(found.skill)
  }
  return skills
}

/** The folder itself if it is a skill, else the skills in it; empty: none, or no such folder. */
async function listSkillFolders(folder: string): Promise<string[]> {
  if (await pathExists(path.join(folder, 'SKILL.md'))) return [path.resolve(folder)]
  if (!(await stat(folder).catch(() => null))?.isDirectory()) return []
  const found: string[] = []
  for (const { name } of listEntries(folder).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (await pathExists(path.join(folder, name, 'SKILL.md'))) found.push(path.join(folder, name))
  }
  return found
}

/** The Markdown files of agents or commands, by their place below the folder; what the manifest names replaces the default folder. */
export async function readMarkdownParts(kind: 'agents' | 'commands', reading: PluginReading): Promise<InputFile[]> {
  const { root, manifest, problems, warnings } = reading
  const given = manifest[kind]
  if (given !== undefined && typeof given === 'object' && !Array.isArray(given)) {
    warnings.push(`${manifestPath}: ${kind} as a map is left out`)
    return []
  }
  const found: InputFile[] = []
  for (const place of given === undefined ? [kind] : toList(given)) {
    const full = path.join(root, place)
    const info = await stat(full).catch(() => null)
    if (info === null) {
      if (given !== undefined) problems.push(`${manifestPath}: ${kind}: no file or folder ${place}`)
      continue
    }
    if (path.relative(await realpath(root), await realpath(full)).startsWith('..')) {
      problems.push(`${manifestPath}: ${kind}: ${place} leads out of the plugin`)
      continue
    }
    const files = info.isDirectory() ? (await walk(full)).files : [{ path: path.basename(full), source: full }]
    for (const file of files.filter(({ path: name }) => /\.md$/i.test(name))) {
      if (found.some((one) => one.path === file.path)) problems.push(`two ${kind} are named ${file.path}`)
      found.push({ path: file.path, source: file.source, ...(await hashFileContent(file.source)) })
    }
  }
  return found
}

function toList(paths: string | readonly string[] | undefined): readonly string[] {
  return paths === undefined ? [] : typeof paths === 'string' ? [paths] : paths
}
