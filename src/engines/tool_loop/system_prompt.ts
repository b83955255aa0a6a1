/** The system prompt of the SDK engines: the same in both arms except for the list of skills. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Handlebars from 'handlebars'
import type { EngineTask } from '../engine.ts'

const template = Handlebars.compile(readFileSync(new URL('./system_prompt.md', import.meta.url), 'utf8'), {
  strict: true,
  noEscape: true,
})

type PromptInput = Pick<EngineTask, 'skills' | 'cwd' | 'tools' | 'environment'>

/** Fills the prompt. It lists skills with name, description and path below the working folder, without their bodies. */
export function fillSystemPrompt({ skills, cwd, tools, environment }: PromptInput): string {
  const listed = skills.map(({ name, description, path: folder }) => ({
    name,
    description: description.replace(/\s+/g, ' ').trim(),
    file: path.relative(cwd, path.join(folder, 'SKILL.md')),
  }))
  const { rules = [], instructions, systemPrompt } = environment ?? {}
  const told = instructions === undefined ? rules : [{ name: 'AGENTS.md', text: instructions }, ...rules]
  const identity = systemPrompt ?? null
  return template({ tools: tools !== 'none', identity, rules: told, skills: listed }).trim()
}
