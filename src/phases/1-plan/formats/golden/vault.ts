/** The vault of an Atomic Agent: its files as the agent finds them, and who it says it is. */
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import type { Environment, InputFile } from '../../../../../schemas/suite.ts'
import { exists, hashFile, hashWalk, walk } from '../../../../base/files.ts'
import { filesOfSkill, skillsAt } from '../eval_md/skills.ts'
import { readFront } from '../markdown/front.ts'
import { plainText } from '../markdown/lines.ts'

/** What an agent never sees: how it is judged, and what it cost. */
const hidden = new Set(['evals', 'log', 'logs', 'node_modules', 'dashboard.html'])

/** Bytes of the whole vault, and characters of what is said of the agent. */
const limits = { vault: 200 * 2 ** 20, identity: 400_000 }

export interface Vault {
  files: InputFile[]
  environment: Environment
  /** null: model.md names none. */
  model: string | null
  /** Why no test can run. */
  reasons: string[]
  warnings: string[]
}

/** Never throws. `folder`: the agent's, absolute. */
export async function readVault(folder: string): Promise<Vault> {
  const { files, reasons } = await vaultFiles(folder)
  const identity = await identityOf(folder)
  const inner = path.join(folder, 'skills')
  const found = (await exists(inner)) ? await skillsAt(inner) : { skills: [], warnings: [], reasons: [] }
  const skills = (await Promise.all(found.skills.map(filesOfSkill))).flat()
  const system = identity.text.slice(0, limits.identity)
  const long =
    identity.text.length > limits.identity ? [`what is said of the agent is cut at ${limits.identity} characters`] : []
  return {
    files,
    environment: {
      ...{ files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} },
      ...(skills.length > 0 && { skills }),
      ...(system !== '' && { system_prompt: system }),
    },
    model: await modelOf(folder),
    reasons,
    warnings: [...identity.warnings, ...long, ...found.reasons, ...found.warnings.map(({ message }) => message)],
  }
}

/** Each entry at the top of the vault, hashed once for all tests. */
async function vaultFiles(folder: string): Promise<{ files: InputFile[]; reasons: string[] }> {
  const files: InputFile[] = []
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const source = path.join(folder, entry.name)
    if (entry.name.startsWith('.') || hidden.has(entry.name)) continue
    if (entry.isFile()) {
      const { size } = await stat(source)
      files.push({ path: entry.name, source, kind: 'file', sha256: await hashFile(source), bytes: size })
    } else if (entry.isDirectory()) {
      const walked = (await walk(source, { unreadable: 'leave_out' })).files
      const bytes = walked.reduce((sum, file) => sum + file.bytes, 0)
      files.push({ path: entry.name, source, kind: 'directory', sha256: await hashWalk(walked), bytes })
    }
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  return { files, reasons: total > limits.vault ? [`${folder}: the vault has more than ${limits.vault} bytes`] : [] }
}

/** persona/, tools.md, the indexes and the pinned notes, each under its name. */
async function identityOf(folder: string): Promise<{ text: string; warnings: string[] }> {
  const first = ['persona/IDENTITY.md', 'persona/SOUL.md', 'persona/USER.md']
  const persona = (await glob('persona/*.md', { cwd: folder })).sort()
  const notes = (await glob('{memory,wiki}/*.md', { cwd: folder })).sort()
  const pinned: string[] = []
  for (const note of notes) if (await isPinned(path.join(folder, note))) pinned.push(note)
  const named = [...first, ...persona, 'tools.md', 'memory/INDEX.md', 'wiki/INDEX.md', ...pinned]
  const parts: string[] = []
  for (const name of new Set(named)) {
    const text = await readFile(path.join(folder, name), 'utf8').catch(() => null)
    if (text !== null && text.trim() !== '') parts.push(`<!-- ${name} -->\n${plainText(text).trim()}`)
  }
  const hasPersona = persona.length > 0
  return { text: parts.join('\n\n'), warnings: hasPersona ? [] : ['no persona/*.md: nothing says who the agent is'] }
}

async function isPinned(file: string): Promise<boolean> {
  if (path.basename(file) === 'INDEX.md') return false
  const front = readFront(plainText(await readFile(file, 'utf8').catch(() => '')))
  return 'fields' in front && front.fields.pinned === true
}

/** The first model in backticks below the heading Default model. */
async function modelOf(folder: string): Promise<string | null> {
  const text = await readFile(path.join(folder, 'model.md'), 'utf8').catch(() => '')
  return (
    /^#+[ \t]*Default model[^\n]*\n(?:(?!#)[^\n`]*\n)*?[^\n`#]*`([^`\n]+)`/im.exec(plainText(text))?.[1]?.trim() ?? null
  )
}
