/** Reads the files of one case of a plugin's suite, without interpreting them. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { errorMessage } from '../../base/errors/error.ts'
import { listEntries } from '../../base/fs/files.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { readText } from '../../base/json/json.ts'
import { readYaml } from '../../base/text/yaml.ts'
import { describeJsonKind } from '../../phases/1-plan/formats/evals_json/document.ts'
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import type { GraderSource } from './graders.ts'

export type PluginFields = Readonly<Record<string, unknown>>

const longest = 1024 * 1024

export interface CaseFiles {
  /** Fields of case.yaml and prompt.md's frontmatter, which wins; `execution` and `context` are flattened. */
  fields: PluginFields
  prompt: string | null
  /** `at`: the file and the place in it. */
  graders: { name: string; at: string; grader: GraderSource }[]
  /** Graders are in a place that is not read. */
  hasStrayGraders: boolean
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
  const yaml = toPluginFields(caseYaml?.front)
  const markdown = await ofCase('prompt.md')
  const listed = Array.isArray(yaml.graders) ? yaml.graders.map(toPluginFields) : []
  const graders = listed.map((grader, index) => {
    return { name: readNonEmptyText(grader.name) ?? `grader ${index + 1}`, at: `case.yaml, graders[${index}]`, grader }
  })
  for (const { name } of listEntries(path.join(folder, 'graders'))) {
    const file = /^[^.].*\.md$/.test(name) ? await open(`graders/${name}`) : null
    if (file === null || !file.hasFront) continue // text without frontmatter is ignored, as in `claude plugin eval`
    const grader = { ...toPluginFields(file.front), body: readNonEmptyText(file.body) ?? undefined }
    graders.push({ name: path.basename(name, '.md'), at: `graders/${name}`, grader })
  }
  const inner = [toPluginFields(yaml.execution), toPluginFields(yaml.context), toPluginFields(markdown?.front)]
  return {
    fields: { ...yaml, ...Object.fromEntries(inner.flatMap(collectStatedFields)) },
    prompt: readNonEmptyText(markdown?.body),
    graders,
    hasStrayGraders: inner.some((one) => (one.graders ?? null) !== null),
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
