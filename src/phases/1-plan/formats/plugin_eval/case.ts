/** One case of a plugin's suite: prompt.md, case.yaml or both, and graders/*.md. */
import { statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import { messageOf } from '../../../../base/error.ts'
import { entriesIn } from '../../../../base/files.ts'
import { readText } from '../../../../base/json.ts'
import { ownFile } from '../../../../base/own_file.ts'
import { readYaml } from '../../../../base/yaml.ts'
import { leaves } from '../../inputs.ts'
import type { Warn } from '../../warnings.ts'
import { isObject, textIn } from '../evals_json/fields.ts'
import { derivedFrom } from '../evals_json/judging.ts'
import { type GraderSource, graderTypes, readGrader } from './graders.ts'

type Fields = Readonly<Record<string, unknown>>

const longest = 1024 * 1024

interface CaseFiles {
  /** case.yaml and the frontmatter of prompt.md, the latter wins; `execution` and `context` laid open. */
  fields: Fields
  prompt: string | null
  /** `at`: the file, and the place in it. */
  graders: { name: string; at: string; grader: GraderSource }[]
  hasYaml: boolean
  /** What can't be read. */
  reasons: string[]
}

/** Reads the case in `folder`, called `key` in its suite. What keeps it from running is in `cannot_run`. */
export async function readPluginCase(folder: string, key: string, warn: Warn): Promise<Omit<SuiteCase, 'eval_id'>> {
  const files = await readFiles(folder)
  const { fields } = files
  const criteria = criteriaOf(files, key, warn)
  const expected_output = textIn(fields.expected_outcome)
  const start = await setupOf(folder, fields)
  const prompt = files.prompt ?? textIn(fields.prompt)
  const reasons = [...files.reasons, ...(prompt === null ? ['it has no prompt'] : []), ...start.reasons]
  warnUnread(fields, key, warn)
  if (files.hasYaml) warnVersion(fields.schema_version, key, warn)
  const noted = Object.fromEntries(Object.entries(fields).filter(([name, value]) => !read.has(name) && value !== null))
  return {
    eval_key: key,
    eval_name: textIn(fields.name) ?? key,
    prompt: prompt ?? '',
    expected_output,
    files: [],
    ...criteria,
    reference: null,
    timeout_seconds:
      typeof fields.timeout_seconds === 'number' && fields.timeout_seconds > 0 ? fields.timeout_seconds : null,
    setup: start.setup,
    git: null,
    ...(Object.keys(noted).length > 0 && { metadata: noted }),
    cannot_run: reasons.length === 0 ? null : reasons.join('; '),
  }
}

async function readFiles(folder: string): Promise<CaseFiles> {
  const reasons: string[] = []
  const open = async (name: string) => {
    const text = await ownText(folder, name, reasons)
    if (text === null) return null
    try {
      return name.endsWith('.md') ? splitFile(text) : { fields: yamlIn(text, 1), body: '', hasFront: false }
    } catch (error) {
      reasons.push(`${name}${messageOf(error)}`)
      return null
    }
  }
  const caseYaml = await open('case.yaml')
  const yaml = caseYaml?.fields ?? {}
  const markdown = await open('prompt.md')
  const listed = Array.isArray(yaml.graders) ? yaml.graders.map(fieldsIn) : []
  const graders = listed.map((grader, index) => {
    return { name: textIn(grader.name) ?? `grader ${index + 1}`, at: `case.yaml, graders[${index}]`, grader }
  })
  for (const { name } of entriesIn(path.join(folder, 'graders'))) {
    const file = /^[^.].*\.md$/.test(name) ? await open(`graders/${name}`) : null
    if (file === null || !file.hasFront) continue // a text beside the graders, as `claude plugin eval` has it
    const grader = { ...file.fields, body: textIn(file.body) ?? undefined }
    graders.push({ name: path.basename(name, '.md'), at: `graders/${name}`, grader })
  }
  const fields = { ...yaml, ...fieldsIn(yaml.execution), ...fieldsIn(yaml.context), ...markdown?.fields }
  return { fields, prompt: textIn(markdown?.body), graders, hasYaml: caseYaml !== null, reasons }
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

function splitFile(text: string): { fields: Fields; body: string; hasFront: boolean } {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const [, block, body] = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n([\s\S]*))?$/.exec(plain) ?? []
  return body === undefined && block === undefined
    ? { fields: {}, body: plain, hasFront: /^---[ \t]*\n/.test(plain) }
    : { fields: yamlIn(block ?? '', 2), body: body ?? '', hasFront: true }
}

/** Throws where it is no YAML, with line and column in the file. */
function yamlIn(text: string, firstLine: number): Fields {
  const yaml = readYaml(text, firstLine)
  if (!yaml.ok) throw new Error(`:${yaml.at.line}:${yaml.at.column} is not valid YAML: ${yaml.message}`)
  return fieldsIn(yaml.value)
}

function fieldsIn(value: unknown): Fields {
  return isObject(value) ? value : {}
}

type Criteria = Pick<SuiteCase, 'expectations' | 'checks'>

function criteriaOf({ graders, fields }: CaseFiles, key: string, warn: Warn): Criteria {
  const criteria: Criteria = { expectations: [], checks: [] }
  for (const { name, at, grader } of graders) {
    const reading = readGrader(grader, name)
    const place = `${key}/${at}`
    if (typeof grader.weight === 'number' && grader.weight !== 1)
      warn(place, 'its weight is not read: criteria count the same')
    switch (reading.kind) {
      case 'check':
        criteria.checks.push(reading.check)
        break
      case 'expectation':
        criteria.expectations.push(reading.expectation)
        break
      case 'unsupported':
        warn(place, `a grader ${typeWords(grader.type)} is not read: ${reading.why}`)
    }
  }
  if (criteria.expectations.length + criteria.checks.length > 0) return criteria
  const outcome = textIn(fields.expected_outcome)
  if (outcome === null) {
    warn(key, 'no criteria and no expected_outcome; the case runs ungraded, outside every rate')
    return criteria
  }
  warn(key, 'no criteria; one expectation is derived from expected_outcome')
  return { ...criteria, expectations: [derivedFrom(outcome)] }
}

function typeWords(type: unknown): string {
  if (type === undefined || type === null) return 'without a "type"'
  return `of type ${typeof type === 'string' && graderTypes.has(type) ? type : JSON.stringify(type)}`
}

/** The scaffold's text itself, so that a change of it is another run; it runs in the working folder, in both arms. */
async function setupOf(folder: string, fields: Fields): Promise<{ setup: string | null; reasons: string[] }> {
  const name = textIn(fields.scaffold_script)
  const before =
    textIn(fields.history_file) === null
      ? []
      : ['it goes on from a conversation (history_file), which is not supported']
  if (name === null) return { setup: null, reasons: before }
  const place = path.resolve(folder, name)
  if (await leavesPackage(folder, place)) {
    return { setup: null, reasons: [...before, `scaffold script ${name}: leads out of what holds evals/`] }
  }
  const script = await readText(place).catch(() => null)
  if (script === null) return { setup: null, reasons: [...before, `scaffold script ${name}: no such file`] }
  const looksAround = /BASH_SOURCE|\$\{?0\b/.test(script)
  const reasons = looksAround ? [`scaffold script ${name} looks for files beside itself, which is not supported`] : []
  return { setup: `bash -c '${script.replaceAll("'", `'\\''`)}'`, reasons: [...before, ...reasons] }
}

/** Cases may share a script; none comes from elsewhere, by a link neither. */
async function leavesPackage(folder: string, place: string): Promise<boolean> {
  const top = packageOf(folder)
  if (leaves(top, place)) return true
  const [real, base] = await Promise.all([realpath(place).catch(() => null), realpath(top)])
  return real !== null && leaves(base, real)
}

/** What holds evals/; of a case elsewhere its own folder. */
function packageOf(folder: string): string {
  const at = folder.lastIndexOf(`${path.sep}evals${path.sep}`)
  return at < 0 ? folder : folder.slice(0, at)
}

/** What shapes their runs and not ours, and by which flag ours are shaped instead. */
const unread: Readonly<Record<string, string>> = {
  runs: '--runs sets it',
  model: '--engine and --model set it',
  max_turns: '--max-turns sets it',
  allowed_tools: 'the engine decides',
  disallowed_tools: 'the engine decides',
  plugins: 'only the skill is installed',
  add_dirs: 'only input files are laid out',
  append_system_prompt: 'the agent gets the prompt alone',
  env: '--pass-env names what is passed on',
}

const read: ReadonlySet<string> = new Set([
  ...['schema_version', 'name', 'prompt', 'expected_outcome', 'timeout_seconds', 'graders'],
  ...['execution', 'context', 'scaffold_script', 'history_file'],
])

/** They shape neither run nor verdict. */
const harmless: ReadonlySet<string> = new Set(['id', 'title', 'description', 'tags', 'category', 'notes', 'author'])

function warnUnread(fields: Fields, key: string, warn: Warn): void {
  for (const [name, instead] of Object.entries(unread)) {
    if (fields[name] !== undefined && fields[name] !== null) warn(key, `"${name}" of a case is not read: ${instead}`)
  }
  for (const name of Object.keys(fields)) {
    const isKnown = read.has(name) || Object.hasOwn(unread, name) || harmless.has(name)
    if (!isKnown) warn(key, `"${name}" of a case is not read`)
  }
}

/** "1.0", or a later one of the same major number; where case.yaml is, `claude plugin eval` asks for it. */
function warnVersion(version: unknown, key: string, warn: Warn): void {
  const said = version === undefined || version === null ? 'is missing' : versionMistake(version)
  if (said !== null) warn(`${key}/case.yaml`, `"schema_version" ${said}; the case is read as one of "1.0"`)
}

function versionMistake(version: unknown): string | null {
  if (typeof version !== 'string') return `${JSON.stringify(version)} is no text`
  return /^[01](\.|$)/.test(version.trim()) ? null : `${JSON.stringify(version)} is unknown`
}
