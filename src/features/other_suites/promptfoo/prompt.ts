/** Fills the variables of a prompt, and reads a prompt that is a list of messages. */
import path from 'node:path'
import { tryParseJson } from '../../../base/json/json.ts'
import { isJsonObject } from '../../../phases/1-plan/formats/evals_json/fields.ts'
import type { OtherCase } from '../other_suite.ts'
import type { FieldNotes } from '../read_fields.ts'

/** A value that the whole template stands for stays as it is. Logic of the template, and a name without a value, are refused. */
export function fillTemplate(template: string, vars: Readonly<Record<string, unknown>>, notes: FieldNotes): unknown {
  const whole = /^\s*\{\{\s*([\w.]+)\s*\}\}\s*$/.exec(template)?.[1]
  if (whole !== undefined) {
    const value = findVariable(vars, whole)
    if (value === undefined) notes.refuse(`the prompt needs the variable "${whole}"`)
    return value ?? null
  }
  if (/\{%|\{#/.test(template)) notes.refuse('the prompt is a template with logic, which is not filled in here')
  return template.replaceAll(/\{\{-?\s*(.*?)\s*-?\}\}/gs, (found, name: string) => {
    const value = /^[\w.]+$/.test(name) ? findVariable(vars, name) : undefined
    if (value === undefined)
      notes.refuse(`the prompt needs ${JSON.stringify(name)}, which is not a variable of the test`)
    return value === undefined ? found : typeof value === 'string' ? value : JSON.stringify(value)
  })
}

function findVariable(vars: Readonly<Record<string, unknown>>, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((inner, key) => (isJsonObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), vars)
}

interface MessagePlace {
  one: OtherCase
  base: string
  notes: FieldNotes
}

/** Returns the messages of the user, in order. Those of the system and files of a message are added to the case. */
export function readPromptMessages(prompt: unknown, place: MessagePlace): string[] {
  const parsed = typeof prompt === 'string' && /^\s*\[\s*\{/.test(prompt) ? tryParseJson(prompt) : prompt
  const { one, notes } = place
  if (!Array.isArray(parsed)) {
    if (typeof prompt === 'string') return [prompt]
    if (prompt !== null && prompt !== undefined) return [JSON.stringify(prompt)]
    return []
  }
  const said: string[] = []
  for (const [index, message] of parsed.entries()) {
    const role = isJsonObject(message) ? message.role : 'user'
    const text = isJsonObject(message) ? readContent(message.content, place) : String(message)
    if (role === 'system' || role === 'developer') one.system = [one.system, text].filter(Boolean).join('\n\n')
    else if (role === 'user') said.push(text)
    else if (role === 'assistant' || role === 'tool')
      notes.warn(one.at, `a message of the role "${role}" is not read: the agent answers itself`)
    else notes.refuse(`message ${index + 1} has the role ${JSON.stringify(role)}, which cannot be sent`)
  }
  return said
}

function readContent(content: unknown, { one, base, notes }: MessagePlace): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return JSON.stringify(content ?? '')
  return content
    .flatMap((part: unknown) => {
      const object = isJsonObject(part) ? part : { type: 'text', text: part }
      if (object.type === 'file' && typeof object.value === 'string') {
        const from = object.value.replace(/^\//, '')
        one.inputs.push({ from, to: path.posix.basename(from), at: one.at })
        return [`(see ${path.posix.basename(from)})`]
      }
      const text = object.text ?? object.value
      if (typeof text === 'string' && /^(?:input_)?text$/.test(String(object.type))) return [text]
      notes.refuse(`a part of the type ${JSON.stringify(object.type)} cannot be sent (files are relative to ${base})`)
      return []
    })
    .join('\n')
}
