/** The frontmatter of an EVAL.md: what is tested and how it runs, for every case of the file. */
import { isObject } from '../evals_json/fields.ts'
import type { Front } from '../markdown/front.ts'

export interface EvalMdSettings {
  /** null: not given, so that what lies beside the file is tested. */
  skills: Provider[] | null
  tools: Provider[]
  model: string | null
  system: string | null
  /** The subject, where it is a module of code. */
  module: Provider | null
  /** Path of an agent's folder, as written. */
  agent: string | null
  /** Theirs, and the fields that nobody knows. */
  metadata: Readonly<Record<string, unknown>>
  mistakes: SettingMistake[]
  /** Fields that nobody knows. */
  unknown: { name: string; line: number }[]
}

interface SettingMistake {
  message: string
  line: number
  column: number
}

/** A module's name, or a path. */
export type Provider = { kind: 'module' | 'path'; name: string; line: number }

const known = new Set(['skills', 'tools', 'model', 'system', 'module', 'agent', 'metadata', 'name', 'description'])

export function readSettings(front: Front): EvalMdSettings {
  const mistakes: SettingMistake[] = []
  const wrong = (field: string, message: string) => {
    mistakes.push({ message: `${field}: ${message}`, ...front.at([field]) })
  }
  const text = (field: string): string | null => {
    const value = front.texts[field]
    if (value === undefined || value === '' || front.fields[field] === null) return null
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    wrong(field, 'must be text')
    return null
  }
  const providers = (field: string): Provider[] | null => {
    const value = front.texts[field]
    if (value === undefined || front.fields[field] === null) return null
    return [value].flat().flatMap((one, index) => {
      if (typeof one === 'string' && one.trim() !== '') return [provider(one.trim(), front.at([field, index]).line)]
      wrong(field, 'each must be text, a path or the name of a module')
      return []
    })
  }
  const { metadata } = front.fields
  const module = text('module')
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) wrong('metadata', 'must be fields')
  const unknown = Object.keys(front.fields)
    .filter((name) => !known.has(name))
    .map((name) => ({ name, line: front.at([name]).line }))
  return {
    skills: providers('skills'),
    tools: providers('tools') ?? [],
    model: text('model'),
    system: text('system'),
    module: module === null ? null : { kind: 'module', name: module, line: front.at(['module']).line },
    agent: text('agent'),
    metadata: {
      ...(isObject(metadata) ? metadata : {}),
      ...Object.fromEntries(unknown.map(({ name }) => [name, front.fields[name]])),
    },
    mistakes,
    unknown,
  }
}

function provider(name: string, line: number): Provider {
  return { kind: /^[A-Z][A-Za-z0-9_.]*$/.test(name) ? 'module' : 'path', name, line }
}
