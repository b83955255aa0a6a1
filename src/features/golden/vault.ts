/** Reads the vault of an Atomic Agent: its files as the agent finds them, and its identity. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type CapAction, type CostCap, type CostGuardrails, capActions, capPeriods } from '../../../schemas/golden.ts'
import type { Environment, InputFile } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashFile, hashWalk, isExecutable, listEntries, pathExists, walk } from '../../base/fs/files.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { readText } from '../../base/json/json.ts'
import { readYaml, type YamlPlace } from '../../base/text/yaml.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { normalizeLineEnds, readFront } from '../../phases/1-plan/formats/markdown/lines.ts'
import { findSkillsInFolder, listInstalledSkillFiles } from '../../phases/1-plan/skill/skills_in_folder.ts'

/** Never shown to an agent: its evals, its costs and logs, and results of earlier evals. */
const hiddenNames = new Set(['evals', 'log', 'logs', 'workspaces', 'node_modules', 'dashboard.html'])

/** `vault`: bytes of the whole vault; `identity`: characters of the system prompt. */
const limits = { vault: 200 * 2 ** 20, identity: 400_000 }

export interface Vault {
  files: InputFile[]
  environment: Environment
  /** null: model.md names none. */
  model: string | null
  /** null: no cost limit. */
  guardrails: CostGuardrails | null
  /** Why no test can run. */
  reasons: string[]
  warnings: string[]
}

/** `folder`: the agent's, absolute. Throws UserError for unreadable cost guardrails, because they could not be enforced. */
export async function readVault(folder: string): Promise<Vault> {
  const { files, reasons } = await vaultFiles(folder)
  const identity = await readVaultIdentity(folder)
  const inner = path.join(folder, 'skills')
  const found = (await pathExists(inner)) ? await findSkillsInFolder(inner) : { skills: [], warnings: [], reasons: [] }
  const skills = (await Promise.all(found.skills.map(listInstalledSkillFiles))).flat()
  const system = identity.text.slice(0, limits.identity)
  const aboutModel = (await ownText(folder, 'model.md')) ?? ''
  const model = readModel(aboutModel)
  const costs = readGuardrails(aboutModel, path.join(folder, 'model.md'))
  const long =
    identity.text.length > limits.identity ? [`what is said of the agent is cut at ${limits.identity} characters`] : []
  return {
    files,
    environment: {
      ...{ files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} },
      ...(skills.length > 0 && { skills }),
      ...(system !== '' && { system_prompt: system }),
    },
    model: model.model,
    guardrails: costs.guardrails,
    reasons,
    warnings: [
      ...identity.warnings,
      ...long,
      ...model.warnings,
      ...costs.warnings,
      ...found.reasons,
      ...found.warnings.map(({ message }) => message),
    ],
  }
}

/** Each top-level entry of the vault, hashed once for all tests. */
async function vaultFiles(folder: string): Promise<{ files: InputFile[]; reasons: string[] }> {
  const entries = listEntries(folder).filter(({ name }) => !name.startsWith('.') && !hiddenNames.has(name))
  const found: (Omit<InputFile, 'sha256'> & { hash: () => Promise<string> })[] = []
  for (const entry of entries) {
    const source = path.join(folder, entry.name)
    if (entry.isFile()) {
      const { size: bytes } = await stat(source)
      const executable = isExecutable(source) && { executable: true as const }
      found.push({ path: entry.name, source, kind: 'file', bytes, ...executable, hash: () => hashFile(source) })
    } else if (entry.isDirectory()) {
      const walked = (await walk(source, { unreadable: 'leave_out' })).files
      const bytes = walked.reduce((sum, file) => sum + file.bytes, 0)
      found.push({ path: entry.name, source, kind: 'directory', bytes, hash: () => hashWalk(walked) })
    }
  }
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0)
  // checked before any file is read
  if (total > limits.vault) return { files: [], reasons: [`${folder}: the vault has more than ${limits.vault} bytes`] }
  const files = await Promise.all(
    found.map(async ({ hash, bytes, ...file }) => ({ ...file, sha256: await hash(), bytes })),
  )
  return { files, reasons: [] }
}

/** Joins persona/, tools.md, the indexes and the pinned notes, each under its name. */
async function readVaultIdentity(folder: string): Promise<{ text: string; warnings: string[] }> {
  const first = ['persona/IDENTITY.md', 'persona/SOUL.md', 'persona/USER.md']
  const persona = listNotes(folder, 'persona')
  const pinned: string[] = []
  for (const note of [...listNotes(folder, 'memory'), ...listNotes(folder, 'wiki')]) {
    if (isPinned(note, (await ownText(folder, note)) ?? '')) pinned.push(note)
  }
  const named = [...first, ...persona, 'tools.md', 'memory/INDEX.md', 'wiki/INDEX.md', ...pinned]
  const parts: string[] = []
  for (const name of new Set(named)) {
    const text = await ownText(folder, name)
    if (text !== null && text.trim() !== '') parts.push(`<!-- ${name} -->\n${normalizeLineEnds(text).trim()}`)
  }
  const hasPersona = persona.length > 0
  return { text: parts.join('\n\n'), warnings: hasPersona ? [] : ['no persona/*.md: nothing says who the agent is'] }
}

function listNotes(folder: string, inner: string): string[] {
  const names = listEntries(path.join(folder, inner)).map(({ name }) => name)
  return names.filter((name) => /^[^.].*\.md$/.test(name)).map((name) => `${inner}/${name}`)
}

/** null: missing, or a link leads out of the agent's folder. */
async function ownText(folder: string, name: string): Promise<string | null> {
  const file = findOwnFile(folder, name)
  return file === null ? null : readText(file)
}

function isPinned(name: string, text: string): boolean {
  if (path.basename(name) === 'INDEX.md') return false
  const front = readFront(normalizeLineEnds(text))
  return 'fields' in front && front.fields.pinned === true
}

/** `model` of the frontmatter, or else the first model in backticks below the heading Default model. */
function readModel(source: string): { model: string | null; warnings: string[] } {
  const text = normalizeLineEnds(source)
  const front = readFront(text)
  if (!('fields' in front))
    return { model: readDefaultModel(text), warnings: [`model.md:${front.at.line}: ${front.message}`] }
  const { model } = front.fields
  const below = readDefaultModel(front.body)
  const line = front.at(['model']).line
  if (typeof model !== 'string' || model.trim() === '')
    return {
      model: below,
      warnings: model === undefined ? [] : [`model.md:${line}: model is not a name, so it is not read`],
    }
  const differs = below !== null && below !== model.trim()
  return {
    model: model.trim(),
    warnings: differs ? [`model.md:${line}: model is ${model}, not ${below} as below it`] : [],
  }
}

function readDefaultModel(text: string): string | null {
  const heading = /^#+[ \t]*Default model[^\n]*\n(?:(?!#)[^\n`]*\n)*?[^\n`#]*`([^`\n]+)`/im
  return heading.exec(text)?.[1]?.trim() ?? null
}

const fields = new Set([
  'enabled',
  ...['daily_cap_usd', 'monthly_cap_usd', 'daily_cap_action', 'monthly_cap_action'],
  ...['warning_thresholds', 'alert_channel'],
])

const defaultCapActions = { day: 'skip', month: 'alert' } as const satisfies Record<CostCap['period'], CapAction>

const capNames = { day: 'daily', month: 'monthly' } as const satisfies Record<CostCap['period'], string>

interface GuardrailsReading {
  /** null: missing or not enabled. */
  guardrails: CostGuardrails | null
  warnings: string[]
}

/** Throws UserError with file, line and column for enabled guardrails that are invalid. */
export function readGuardrails(source: string, file: string): GuardrailsReading {
  for (const { text, line } of yamlBlocks(normalizeLineEnds(source))) {
    const yaml = readYaml(text, line)
    if (!yaml.ok) {
      if (!/^\s*cost_guardrails\s*:/m.test(text)) continue
      throw mistake(file, yaml.at, `the block cost_guardrails is not valid YAML: ${yaml.message}`)
    }
    const block = isJsonObject(yaml.value) ? yaml.value.cost_guardrails : undefined
    if (block === undefined || block === null) continue
    const at = (name?: string) => yaml.at(name === undefined ? ['cost_guardrails'] : ['cost_guardrails', name])
    if (!isJsonObject(block)) throw mistake(file, at(), 'cost_guardrails must be fields')
    return readGuardrailBlock(block, file, at)
  }
  const isNamed = /^#+[^\n]*\bcost (?:guardrail|cap|limit|budget)/im.test(source)
  const message =
    'model.md has cost guardrails, but no YAML block cost_guardrails, so they have no effect; use --budget instead'
  return { guardrails: null, warnings: isNamed ? [message] : [] }
}

function readGuardrailBlock(
  block: Readonly<Record<string, unknown>>,
  file: string,
  at: (name?: string) => YamlPlace,
): GuardrailsReading {
  const { enabled = false } = block
  if (typeof enabled !== 'boolean') throw mistake(file, at('enabled'), 'enabled must be true or false')
  if (!enabled) return { guardrails: null, warnings: [] }
  const wrong = (name: string, must: string) => mistake(file, at(name), `cost_guardrails.${name} must be ${must}`)
  const caps = capPeriods.flatMap((period): CostCap[] => {
    const [capName, actionName] = [`${capNames[period]}_cap_usd`, `${capNames[period]}_cap_action`]
    const usd = block[capName] ?? 0
    const action = capActions.find((one) => one === (block[actionName] ?? defaultCapActions[period]))
    if (typeof usd !== 'number' || !(usd >= 0)) throw wrong(capName, 'an amount of dollars')
    if (action === undefined) throw wrong(actionName, capActions.join(', ').replace(/, (\w+)$/, ' or $1'))
    return usd === 0 ? [] : [{ period, usd, action }]
  })
  const shares = [block.warning_thresholds ?? [0.5, 0.8]].flat()
  const warn_at = shares.filter((one): one is number => typeof one === 'number' && one > 0 && one <= 1)
  if (warn_at.length < shares.length) throw wrong('warning_thresholds', 'shares from 0 to 1, such as [0.5, 0.8]')
  const unknown = Object.keys(block).filter((name) => !fields.has(name))
  return {
    guardrails: { caps, warn_at: warn_at.sort((a, b) => a - b) },
    warnings: [
      ...unknown.map((name) => `model.md:${at(name).line}: cost_guardrails.${name} is not known and not read`),
      ...(caps.length > 0
        ? []
        : ['model.md: cost_guardrails is enabled without an amount in daily_cap_usd or monthly_cap_usd']),
    ],
  }
}

function mistake(file: string, { line, column }: YamlPlace, message: string): UserError {
  return new UserError(`${file}:${line}:${column}: ${message}`, 'fix it, or set enabled: false')
}

/** Fenced YAML blocks with the line in which each begins. */
function yamlBlocks(text: string): { text: string; line: number }[] {
  return [...text.matchAll(/^ {0,3}```ya?ml\b[^\n]*\n([\s\S]*?)^ {0,3}```/gim)].map(({ index, 1: inner = '' }) => ({
    text: inner,
    line: text.slice(0, index).split('\n').length + 1,
  }))
}
