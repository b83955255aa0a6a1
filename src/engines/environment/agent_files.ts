/** Writes the suite's sub-agents where a CLI looks for those of its user: Markdown files with a name and a description. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { EngineTask } from '../engine.ts'

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
