/** Reads the vault of an Atomic Agent: its files as the agent finds them, and its identity. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { CostGuardrails } from '../../../../../schemas/golden.ts'
import type { Environment, InputFile } from '../../../../../schemas/suite.ts'
import { hashFile, hashWalk, isExecutable, listEntries, pathExists, walk } from '../../../../base/fs/files.ts'
import { findOwnFile } from '../../../../base/fs/inside_folder.ts'
import { readText } from '../../../../base/json/json.ts'
import { findSkillsInFolder, listInstalledSkillFiles } from '../eval_md/skills.ts'
import { readFront } from '../markdown/front_matter.ts'
import { normalizeLineEnds } from '../markdown/lines.ts'
import { readGuardrails } from './guardrails.ts'

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
    model: readDefaultModel(aboutModel),
    guardrails: costs.guardrails,
    reasons,
    warnings: [
      ...identity.warnings,
      ...long,
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

/** The first model in backticks below the heading Default model. */
function readDefaultModel(text: string): string | null {
  return (
    /^#+[ \t]*Default model[^\n]*\n(?:(?!#)[^\n`]*\n)*?[^\n`#]*`([^`\n]+)`/im
      .exec(normalizeLineEnds(text))?.[1]
      ?.trim() ?? null
  )
}
