/** The files of one case of a plugin's suite: what each holds, before anything is made of it. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { messageOf } from '../../../../base/error.ts'
import { entriesIn } from '../../../../base/files.ts'
import { readText } from '../../../../base/json.ts'
import { ownFile } from '../../../../base/own_file.ts'
import { readYaml } from '../../../../base/yaml.ts'
import { kindOf } from '../evals_json/document.ts'
import { isObject, textIn } from '../evals_json/fields.ts'
import type { GraderSource } from './graders.ts'

export type Fields = Readonly<Record<string, unknown>>

const longest = 1024 * 1024

export interface CaseFiles {
  /** case.yaml and the frontmatter of prompt.md, the latter wins; `execution` and `context` laid open. */
  fields: Fields
  prompt: string | null
  /** `at`: the file, and the place in it. */
  graders: { name: string; at: string; grader: GraderSource }[]
  /** Others stand where none is looked for. */
  hasStrayGraders: boolean
  hasYaml: boolean
  /** What can't be read. */
  reasons: string[]
}

export async function readFiles(folder: string): Promise<CaseFiles> {
  const reasons: string[] = []
  const open = async (name: string) => {
    const text = await ownText(folder, name, reasons)
    if (text === null) return null
    try {
      return name.endsWith('.md') ? splitFile(text) : { front: yamlIn(text, 1), body: '', hasFront: false }
    } catch (error) {
      reasons.push(`${name}${messageOf(error)}`)
      return null
    }
  }
  const ofCase = async (name: string) => {
    const file = await open(name)
    if (file !== null && (file.front ?? null) !== null && !isObject(file.front))
      reasons.push(`${name} has ${kindOf(file.front)} where its fields should be`)
    return file
  }
  const caseYaml = await ofCase('case.yaml')
  const yaml = fieldsIn(caseYaml?.front)
  const markdown = await ofCase('prompt.md')
  const listed = Array.isArray(yaml.graders) ? yaml.graders.map(fieldsIn) : []
  const graders = listed.map((grader, index) => {
    return { name: textIn(grader.name) ?? `grader ${index + 1}`, at: `case.yaml, graders[${index}]`, grader }
  })
  for (const { name } of entriesIn(path.join(folder, 'graders'))) {
    const file = /^[^.].*\.md$/.test(name) ? await open(`graders/${name}`) : null
    if (file === null || !file.hasFront) continue // a text beside the graders, as `claude plugin eval` has it
    const grader = { ...fieldsIn(file.front), body: textIn(file.body) ?? undefined }
    graders.push({ name: path.basename(name, '.md'), at: `graders/${name}`, grader })
  }
  const inner = [fieldsIn(yaml.execution), fieldsIn(yaml.context), fieldsIn(markdown?.front)]
  return {
    fields: { ...yaml, ...Object.fromEntries(inner.flatMap(saidIn)) },
    prompt: textIn(markdown?.body),
    graders,
    hasStrayGraders: inner.some((one) => (one.graders ?? null) !== null),
    hasYaml: caseYaml !== null,
    reasons,
  }
}

/** null: it is not there, a link takes it from elsewhere, or it is too large, which is a reason. */
async function ownText(folder: string, name: string, reasons: string[]): Promise<string | null> {
  const top = packageOf(folder)
  const file = ownFile(top, path.relative(top, path.join(folder, name)))
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
    : { front: yamlIn(block ?? '', 2), body: body ?? '', hasFront: true }
}

/** Throws where it is no YAML, with line and column in the file. */
function yamlIn(text: string, firstLine: number): unknown {
  const yaml = readYaml(text, firstLine)
  if (!yaml.ok) throw new Error(`:${yaml.at.line}:${yaml.at.column} is not valid YAML: ${yaml.message}`)
  return yaml.value
}

/** `null` takes nothing away that stands further out; graders belong to the whole file. */
function saidIn(fields: Fields): [string, unknown][] {
  return Object.entries(fields).filter(([name, value]) => name !== 'graders' && value !== null)
}

function fieldsIn(value: unknown): Fields {
  return isObject(value) ? value : {}
}

/** What holds evals/; of a case elsewhere its own folder. */
export function packageOf(folder: string): string {
  const at = folder.lastIndexOf(`${path.sep}evals${path.sep}`)
  return at < 0 ? folder : folder.slice(0, at)
}
