/** Reads the frontmatter of an EVAL.md: what every case of the file tests and how it runs. */
import { findMisspelling } from '../../base/text/did_you_mean.ts'
import type { YamlPlace } from '../../base/text/yaml.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import type { MarkdownFront } from '../../phases/1-plan/formats/markdown/lines.ts'

export interface EvalMdSettings {
  /** null: not given, so the subject is what is next to the file. */
  skills: EvalMdProvider[] | null
  tools: EvalMdProvider[]
  model: string | null
  system: string | null
  /** The subject, if it is a code module. */
  module: EvalMdProvider | null
  /** null: the format's, loaded. */
  activation: 'natural' | 'loaded' | null
  agent: EvalMdProvider | null
  /** The field `metadata`, merged with unknown fields. */
  metadata: Readonly<Record<string, unknown>>
  mistakes: SettingMistake[]
  /** Unknown fields. */
  unknown: { name: string; line: number }[]
}

interface SettingMistake {
  message: string
  line: number
  column: number
}

/** A module name or a path, as written, and where. */
export type EvalMdProvider = { kind: 'module' | 'path'; name: string; line: number; column: number }

const known = new Set([
  ...['skills', 'tools', 'model', 'system', 'module', 'agent', 'activation', 'metadata', 'name', 'description'],
])
const activations = ['natural', 'loaded'] as const

export function readSettings(front: MarkdownFront): EvalMdSettings {
  const mistakes: SettingMistake[] = []
  const wrong = (field: string, message: string, ...item: number[]) => {
    mistakes.push({ message: `${field}: ${message}`, ...front.at([field, ...item]) })
  }
  const text = (field: string): string | null => {
    const value = front.texts[field]
    if (value === undefined || value === '' || front.fields[field] === null) return null
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    wrong(field, 'must be text')
    return null
  }
  const providers = (field: string): EvalMdProvider[] | null => {
    const value = front.texts[field]
    if (value === undefined || front.fields[field] === null) return null
    return [value].flat().flatMap((one, index) => {
      if (typeof one === 'string' && one.trim() !== '') return [provider(one.trim(), front.at([field, index]))]
      wrong(field, 'each must be text, a path or the name of a module', index)
      return []
    })
  }
  const { metadata } = front.fields
  const [module, agent] = [text('module'), text('agent')]
  const given = text('activation')
  const activation = activations.find((one) => one === given) ?? null
  if (given !== null && activation === null)
    wrong('activation', `expected one of ${activations.join(', ')}, but it is "${given}"`)
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata)) wrong('metadata', 'must be fields')
  for (const name of Object.keys(front.fields)) {
    const meant = findMisspelling(name, [...known])
    if (meant !== null) wrong(name, `not a known field (did you mean "${meant}"?)`)
  }
  const unknown = Object.keys(front.fields)
    .filter((name) => !known.has(name))
    .map((name) => ({ name, line: front.at([name]).line }))
  return {
    skills: providers('skills'),
    tools: providers('tools') ?? [],
    model: text('model'),
    system: text('system'),
    module: module === null ? null : { kind: 'module', name: module, ...front.at(['module']) },
    activation,
    agent: agent === null ? null : { kind: 'path', name: agent, ...front.at(['agent']) },
    metadata: {
      ...(isJsonObject(metadata) ? metadata : {}),
      ...Object.fromEntries(unknown.map(({ name }) => [name, front.fields[name]])),
    },
    mistakes,
    unknown,
  }
}

function provider(name: string, at: YamlPlace): EvalMdProvider {
  return { kind: /^[A-Z][A-Za-z0-9_.]*$/.test(name) ? 'module' : 'path', name, ...at }
}
