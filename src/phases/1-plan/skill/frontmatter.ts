/** Reads the frontmatter of a SKILL.md, its name and description, and the instructions after it, which some activations put into the prompts. */
import path from 'node:path'
import * as z from 'zod'
import { holdsSkill, type Plan } from '../../../../schemas/plan.ts'
import { UserError } from '../../../base/errors/error.ts'
import { readText } from '../../../base/json/json.ts'
import { readYaml, yamlFix } from '../../../base/text/yaml.ts'
import { computePlanId, computeRunKey } from '../keys/plan_keys.ts'
import { findMisspeltKey } from './frontmatter_mistakes.ts'

export interface Frontmatter {
  name: string
  description: string
  /** `disable-model-invocation: true`: agents that know it start the skill only when the user says so. */
  isUserOnly: boolean
}

const fields = z.record(z.string(), z.unknown())

/** Reads the text of a SKILL.md (a BOM and CRLF are fine). Throws UserError with the file, the field and the fix. */
export function readFrontmatter(text: string, file: string): Frontmatter {
  const { block, body } = splitFrontmatter(text)
  if (block === null) {
    const fix = isLinkText(body)
      ? linkTextFix
      : 'start it with the lines ---, name: …, description: …, ---; bench takes --name and --description instead'
    throw new UserError(`${file}: no frontmatter`, fix)
  }
  const values = readBlock(block, file)
  for (const field of ['name', 'description']) requireSpelling(block, values, { field, file })
  const name = readTextField(values, 'name', file)
  if (/[/\\\0]/.test(name) || name === '.' || name === '..') {
    throw new UserError(`${file}: name ${JSON.stringify(name)} can't be a folder name`, 'use a-z, 0-9 and hyphens')
  }
  const isUserOnly = values['disable-model-invocation'] === true
  return { name, description: readTextField(values, 'description', file), isUserOnly }
}

/** `block`: the lines between the first `---` and the next; null: there is no frontmatter. `body`: the rest. */
export function splitFrontmatter(text: string): { block: string | null; body: string } {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const found = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/.exec(plain)
  return found === null ? { block: null, body: plain } : { block: found[1] ?? '', body: plain.slice(found[0].length) }
}

/** Whether git has checked out a link as a text file with its target, as on Windows without `core.symlinks`. */
export function isLinkText(body: string): boolean {
  return /^\S*\/SKILL\.md\n?$/.test(body)
}

export const linkTextFix =
  'it looks like a link that git checked out as text: git config core.symlinks true, and check it out again'

function readBlock(block: string, file: string): Record<string, unknown> {
  const yaml = readYaml(block, 2)
  if (!yaml.ok) {
    const { message, at } = yaml
    const place = `${file}:${at.line}:${at.column}`
    throw new UserError(`${place}: the frontmatter is not valid YAML: ${message}`, yamlFix(message))
  }
  const values = fields.safeParse(yaml.value)
  return values.success ? values.data : {}
}

/** Throws UserError if the field is missing and an unknown key is near its name. */
function requireSpelling(
  block: string,
  values: Record<string, unknown>,
  { field, file }: { field: string; file: string },
): void {
  const key = field in values ? null : findMisspeltKey(Object.keys(values), field)
  if (key === null) return
  const line = block.split('\n').findIndex((one) => one.startsWith(key)) + 2
  throw new UserError(`${file}:${line}: unknown key ${JSON.stringify(key)}`, `did you mean "${field}"?`)
}

function readTextField(values: Record<string, unknown>, field: 'name' | 'description', file: string): string {
  const value = values[field]
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  if (value === undefined || value === null || value === '') {
    throw new UserError(`${file}: the frontmatter has no ${field}`, `add a line ${field}: …`)
  }
  throw new UserError(`${file}: ${field} must be text, found ${formatFieldValue(value)}`, `quote it: ${field}: "…"`)
}

/** Lists and objects are not printed, because an anchor can make them contain themselves. */
function formatFieldValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : JSON.stringify(value)
}

/** The text of each skill's SKILL.md below its frontmatter, by the skill's sha256. `folders`: sha256 → folder, absolute. */
export async function readSkillBodies(folders: Iterable<readonly [string, string]>): Promise<Map<string, string>> {
  const bodies = new Map<string, string>()
  for (const [sha256, folder] of folders) {
    bodies.set(sha256, splitFrontmatter(await readText(path.join(folder, 'SKILL.md'))).body.trim())
  }
  return bodies
}

/** The plan with the text of each run's skill at the start of its prompt; as it is where the activation does not load skills. `folders`: of every skill and version in the plan by sha256, absolute. */
export async function loadSkills(plan: Plan, folders: ReadonlyMap<string, string>): Promise<Plan> {
  const { activation } = plan.options
  if (!holdsSkill(activation)) return plan
  const bodies = await readSkillBodies(folders)
  const runs = plan.runs.map(({ key: _, ...run }) => {
    const { skill, prompt } = run
    const body = bodies.get(skill?.sha256 ?? '')
    const spec = skill === null || body === undefined ? run : { ...run, prompt: prependSkill(prompt, skill.name, body) }
    return { ...spec, key: computeRunKey(spec) }
  })
  return { ...plan, runs, plan_id: computePlanId(runs, plan.options) }
}

/** The same text on every engine, so that both configurations differ by it alone. */
function prependSkill(prompt: string, name: string, body: string): string {
  return `The skill ${name} is loaded. Its instructions:\n\n<skill name="${name}">\n${body}\n</skill>\n\n${prompt}`
}
