/** Reads the conversation that a case of a plugin continues: the messages of its user, which are sent before the prompt. */
import path from 'node:path'
import type { Turn } from '../../../schemas/conversation.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { parseJson, readText } from '../../base/json/json.ts'
import { readMessageList } from '../../phases/1-plan/formats/conversation/read_messages.ts'
import { describeJsonKind } from '../../phases/1-plan/formats/evals_json/document.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import { findPackageFolder, type PluginFields } from './files.ts'

export interface PluginHistory {
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
