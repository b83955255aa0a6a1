/** Reads the sub-agents of a suite, in Claude Code's layout, and writes them in an agent's own. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { pathExists, walk } from '../../base/fs/files.ts'
import { readYaml } from '../../base/text/yaml.ts'
import type { EngineTask, SubAgent } from '../engine.ts'

/** A list, or names with commas between them, as Claude Code reads both. */
const toolNames = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(','))])
  .transform((names) => names.map((name) => name.trim()).filter((name) => name !== ''))
  .optional()
  .catch(undefined)

const head = z
  .looseObject({
    name: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional()
      .catch(undefined),
    description: z.string().optional().catch(undefined),
    tools: toolNames,
    disallowedTools: toolNames,
  })
  .catch({ tools: undefined, disallowedTools: undefined })

export async function readSubAgents(folder: string): Promise<SubAgent[]> {
  if (!(await pathExists(folder))) return []
  const files = (await walk(folder)).files.filter((file) => file.path.endsWith('.md'))
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(folder, file.path), 'utf8')
      return readSubAgent(text, path.basename(file.path, '.md')).agent
    }),
  )
}

/** `fields`: the names of all that its frontmatter sets. `own`: its name if it gives itself none. */
export function readSubAgent(text: string, own: string): { agent: SubAgent; fields: string[] } {
  const [, block = '', body = text] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? []
  const yaml = readYaml(block)
  const front = head.parse(yaml.ok ? yaml.texts : {})
  const { name = own, description = own, tools, disallowedTools } = front
  return {
    agent: {
      name,
      description,
      prompt: body.trim(),
      ...(tools && { tools }),
      ...(disallowedTools && { disallowedTools }),
    },
    fields: Object.keys(front).filter((field) => front[field] !== undefined),
  }
}

/** `folder`: the CLI's own, outside the working folder. A judge gets none. */
export async function writeAgentFiles(
  { environment, tools }: Pick<EngineTask, 'environment' | 'tools'>,
  folder: string,
  ending = '.md',
): Promise<void> {
  const agents = tools === 'all' ? (environment?.agents ?? []) : []
  if (agents.length > 0) await mkdir(folder, { recursive: true })
  for (const { name, description, prompt } of agents) {
    // a JSON string is also a YAML string
    const head = `name: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}`
    await writeFile(path.join(folder, `${name}${ending}`), `---\n${head}\n---\n${prompt}\n`)
  }
}
