/** Reads the files of one case of a plugin's suite, without interpreting them, and the conversation that it continues. */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Turn } from '../../../schemas/conversation.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { listEntries } from '../../base/fs/files.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { parseJson, readText } from '../../base/json/json.ts'
import { readYaml } from '../../base/text/yaml.ts'
import { readMessageList } from '../../phases/1-plan/formats/conversation/read_messages.ts'
import { describeJsonKind } from '../../phases/1-plan/formats/evals_json/document.ts'
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import type { GraderSource } from './graders.ts'

export type PluginFields = Readonly<Record<string, unknown>>

const longest = 1024 * 1024

export interface CaseFiles {
  /** Fields of case.yaml and prompt.md's frontmatter, which wins; `execution` and `context` are flattened. */
  fields: PluginFields
  prompt: string | null
  /** `at`: the file and the place in it. */
  graders: { name: string; at: string; grader: GraderSource }[]
  /** Files in graders/ that are no graders. */
  unread: { at: string; why: string }[]
  hasYaml: boolean
  /** Why parts cannot be read. */
  reasons: string[]
}

export async function readPluginCaseFiles(folder: string): Promise<CaseFiles> {
  const reasons: string[] = []
  const open = async (name: string) => {
    const text = await ownText(folder, name, reasons)
    if (text === null) return null
    try {
      return name.endsWith('.md') ? splitFile(text) : { front: parseYamlBlock(text, 1), body: '', hasFront: false }
    } catch (error) {
      reasons.push(`${name}${errorMessage(error)}`)
      return null
    }
  }
  const ofCase = async (name: string) => {
    const file = await open(name)
    if (file !== null && (file.front ?? null) !== null && !isJsonObject(file.front))
      reasons.push(`${name} has ${describeJsonKind(file.front)} where its fields should be`)
    return file
  }
  const caseYaml = await ofCase('case.yaml')
  if (existsSync(path.join(folder, 'case.yml'))) reasons.push('case.yml is not read: name it case.yaml')
  const yaml = toPluginFields(caseYaml?.front)
  const markdown = await ofCase('prompt.md')
  const unread: CaseFiles['unread'] = []
  const listed = Array.isArray(yaml.graders) ? yaml.graders.map(toPluginFields) : []
  const graders = listed.map((grader, index) => {
    return { name: readNonEmptyText(grader.name) ?? `grader ${index + 1}`, at: `case.yaml, graders[${index}]`, grader }
  })
  for (const { name } of listEntries(path.join(folder, 'graders')).filter((one) => !one.name.startsWith('.'))) {
    const at = `graders/${name}`
    const file = name.endsWith('.md') ? await open(at) : null
    // both are ignored by `claude plugin eval` too
    if (!name.endsWith('.md')) unread.push({ at, why: 'it is not a .md file' })
    else if (file !== null && !file.hasFront) unread.push({ at, why: 'it has no frontmatter with a type' })
    if (file === null || !file.hasFront) continue
    const grader = { ...toPluginFields(file.front), body: readNonEmptyText(file.body) ?? undefined }
    graders.push({ name: path.basename(name, '.md'), at, grader })
  }
  const inner = [toPluginFields(yaml.execution), toPluginFields(yaml.context), toPluginFields(markdown?.front)]
  if (inner.some((one) => (one.graders ?? null) !== null))
    reasons.push('"graders" is in a place that is not read: write them at the top of case.yaml, or in graders/*.md')
  return {
    fields: { ...yaml, ...Object.fromEntries(inner.flatMap(collectStatedFields)) },
    prompt: readNonEmptyText(markdown?.body),
    graders,
    unread,
    hasYaml: caseYaml !== null,
    reasons,
  }
}

/** null: missing, linked from elsewhere, or too large, which is added to the reasons. */
async function ownText(folder: string, name: string, reasons: string[]): Promise<string | null> {
  const top = findPackageFolder(folder)
  const file = findOwnFile(top, path.relative(top, path.join(folder, name)))
  if (file === null) return null
  if (statSync(file).size <= longest) return readText(file)
  reasons.push(`${name} is larger than ${longest} bytes`)
  return null
}

function splitFile(text: string): { front: unknown; body: string; hasFront: boolean } {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const [, block, body] = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n([\s\S]*))?$/.exec(plain) ?? []
  return body === undefined && block === undefined
    ? { front: null, body: plain, hasFront: /^---[ \t]*\n/.test(plain) }
    : { front: parseYamlBlock(block ?? '', 2), body: body ?? '', hasFront: true }
}

/** Throws for invalid YAML, with line and column in the file. */
function parseYamlBlock(text: string, firstLine: number): unknown {
  const yaml = readYaml(text, firstLine)
  if (!yaml.ok) throw new Error(`:${yaml.at.line}:${yaml.at.column} is not valid YAML: ${yaml.message}`)
  return yaml.value
}

/** `null` does not override outer fields; graders belong to the whole file. */
function collectStatedFields(fields: PluginFields): [string, unknown][] {
  return Object.entries(fields).filter(([name, value]) => name !== 'graders' && value !== null)
}

function toPluginFields(value: unknown): PluginFields {
  return isJsonObject(value) ? value : {}
}

/** The folder that contains evals/; otherwise the case's own folder. */
export function findPackageFolder(folder: string): string {
  const at = folder.lastIndexOf(`${path.sep}evals${path.sep}`)
  return at < 0 ? folder : folder.slice(0, at)
}

interface PluginHistory {
  /** In the order of the conversation; empty: there is none. */
  messages: Turn[]
  /** Why the case cannot run. */
  reasons: string[]
}

/** From `conversation_history`, a list of messages, or `history_file`, a saved session of Claude Code. */
export async function readPluginHistory(folder: string, fields: PluginFields, warn: Warn): Promise<PluginHistory> {
  const { conversation_history: listed = null, history_file: file = null } = fields
  if (listed !== null) return readListed(listed, warn)
  if (file === null || (typeof file === 'string' && file.trim() === '')) return { messages: [], reasons: [] }
  if (typeof file !== 'string')
    return { messages: [], reasons: [`"history_file" is ${describeJsonKind(file)}, not the path of a session`] }
  const top = findPackageFolder(folder)
  const found = findOwnFile(top, path.relative(top, path.resolve(folder, file)))
  if (found === null) return { messages: [], reasons: [`history_file ${file}: no such file in what holds evals/`] }
  const said = listSessionMessages(await readText(found))
  if (said === null)
    return { messages: [], reasons: [`history_file ${file}: not a session of Claude Code (JSON lines)`] }
  const { messages, reasons } = readListed(said, warn)
  return { messages, reasons: reasons.map((reason) => `history_file ${file}: ${reason}`) }
}

function readListed(list: unknown, warn: Warn): PluginHistory {
  if (!Array.isArray(list))
    return { messages: [], reasons: [`"conversation_history" is ${describeJsonKind(list)}, not a list of messages`] }
  const { messages, replies, mistakes } = readMessageList(list, 'conversation_history')
  if (replies.length > 0)
    warn('conversation_history', `${replies.length} answers of the agent are not replayed: the agent answers itself`)
  return { messages: messages.map(({ turn }) => turn), reasons: mistakes.map(({ at, message }) => `${at}: ${message}`) }
}

/** Messages of the main conversation, without results of tools; null: a line is not JSON, or there is no message of a user. */
function listSessionMessages(text: string): unknown[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  try {
    const said = lines.flatMap((line) => sessionMessage(parseJson(line, 'history_file')))
    return said.some((one) => one.role === 'user') ? said : null
  } catch {
    return null
  }
}

function sessionMessage(line: unknown): { role: unknown; content: unknown }[] {
  if (!isJsonObject(line) || line.isMeta === true || line.isSidechain === true) return []
  const message = isJsonObject(line.message) ? line.message : line
  const { role, content } = message
  if (role !== 'user' && role !== 'assistant') return []
  const parts: unknown[] = Array.isArray(content) ? content : [content]
  const isText = (part: unknown) => typeof part === 'string' || (isJsonObject(part) && part.type === 'text')
  const texts =
    role === 'user' ? parts.filter((part) => !isJsonObject(part) || part.type !== 'tool_result') : parts.filter(isText)
  return texts.length === 0 ? [] : [{ role, content: texts }]
}
