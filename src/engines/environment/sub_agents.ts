/** Reads the sub-agents of a suite as they are installed, in Claude Code's layout. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { pathExists, walk } from '../../base/fs/files.ts'
import { readYaml } from '../../base/text/yaml.ts'
import type { SubAgent } from '../engine.ts'

const head = z.looseObject({
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .catch(undefined),
  description: z.string().optional().catch(undefined),
})

/** Those of the folder .claude/agents, by name. A file without a name of its own has that of the file. */
export async function readSubAgents(folder: string): Promise<SubAgent[]> {
  if (!(await pathExists(folder))) return []
  const files = (await walk(folder)).files.filter((file) => file.path.endsWith('.md'))
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(folder, file.path), 'utf8')
      const [, block = '', body = text] =
        /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? []
      const yaml = readYaml(block)
      const own = path.basename(file.path, '.md')
      const { name = own, description = own } = head.catch({}).parse(yaml.ok ? yaml.texts : {})
      return { name, description, prompt: body.trim() }
    }),
  )
}
