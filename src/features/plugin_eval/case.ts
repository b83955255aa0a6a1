/** Reads one case of a plugin's suite: prompt.md, case.yaml or both, and graders/*.md. */
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import type { Turn } from '../../../schemas/conversation.ts'
import type { Environment, SuiteCase } from '../../../schemas/suite.ts'
import { readText } from '../../base/json/json.ts'
import { quoteWord } from '../../base/package_root.ts'
import { findMisspelling } from '../../base/text/did_you_mean.ts'
import { describeJsonKind } from '../../phases/1-plan/formats/evals_json/document.ts'
import { emptyEnvironment, extendEnvironment } from '../../phases/1-plan/formats/evals_json/environment.ts'
import { isHarmless, isJsonObject, isText, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { deriveExpectation } from '../../phases/1-plan/formats/evals_json/judging.ts'
import { isOutsideFolder, type PlacedInputs, placeInputs } from '../../phases/1-plan/suite/input_files.ts'
import { joinReasons } from '../../phases/1-plan/suite/inspected_suite.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import {
  type CaseFiles,
  findPackageFolder,
  type PluginFields,
  readPluginCaseFiles,
  readPluginHistory,
} from './files.ts'
import { graderTypes, listUnreadFields, readGrader } from './graders.ts'

/** Reads the case in `folder`, named `key` in its suite. What keeps it from running is in `cannot_run`. */
export async function readPluginCase(folder: string, key: string, warn: Warn): Promise<Omit<SuiteCase, 'eval_id'>> {
  const files = await readPluginCaseFiles(folder)
  const { fields } = files
  const { criteria, reasons: ofGraders } = readCaseGraders(files, key, warn)
  const expected_output = readNonEmptyText(fields.expected_outcome)
  const start = await readSetup(folder, fields)
  const history = await readPluginHistory(folder, fields, warn)
  const added = await placeAddedFolders(folder, fields, (_, message) => warn(key, message))
  const around = readSurroundings(fields)
  const prompt = files.prompt ?? readNonEmptyText(fields.prompt)
  for (const { at, why } of files.unread) warn(`${key}/${at}`, `the file is not read: ${why}`)
  const misspelt = warnUnread(fields, key, warn)
  const reasons = [
    ...files.reasons,
    ...(prompt === null ? [noPrompt(fields)] : []),
    ...start.reasons,
    ...history.reasons,
    ...added.reasons,
    ...around.reasons,
    ...findWrongForms(fields),
    ...misspelt,
    ...ofGraders,
  ]
  if (files.hasYaml) warnVersion(fields.schema_version, key, warn)
  const labels = files.graders.flatMap(({ grader: { name, description } }) =>
    name === undefined && description === undefined ? [] : [{ name, description }],
  )
  const noted = {
    ...Object.fromEntries(Object.entries(fields).filter(([name, value]) => !knownFields.has(name) && value !== null)),
    ...(labels.length > 0 && { graders: labels }),
  }
  if (fields.name != null && !isText(fields.name)) warn(key, '"name" of a case is not read: it is not text')
  return {
    eval_key: key,
    eval_name: readNonEmptyText(fields.name) ?? key,
    ...continueHistory(history.messages, prompt ?? ''),
    expected_output,
    files: added.files,
    ...criteria,
    reference: null,
    timeout_seconds: isSeconds(fields.timeout_seconds) ? fields.timeout_seconds : null,
    setup: start.setup,
    git: null,
    ...(around.environment && { environment: around.environment }),
    ...(Object.keys(noted).length > 0 && { metadata: noted }),
    cannot_run: joinReasons(reasons),
  }
}

/** The first message of the history is the prompt; that of the case is the last message. */
function continueHistory([first, ...later]: readonly Turn[], prompt: string): Pick<SuiteCase, 'prompt' | 'turns'> {
  return first === undefined ? { prompt } : { prompt: first.prompt, turns: [...later, { prompt }] }
}

function noPrompt({ prompt }: PluginFields): string {
  const isThere = prompt !== undefined && prompt !== null && typeof prompt !== 'string'
  return `it has no prompt${isThere ? `: "prompt" is ${describeJsonKind(prompt)}, not text` : ''}`
}

type Criteria = Pick<SuiteCase, 'expectations' | 'checks'>

/** `reasons`: misspelt or unreadable graders, whose verdicts would be lost. */
function readCaseGraders({ graders, fields }: CaseFiles, key: string, warn: Warn) {
  const reasons: string[] = []
  const criteria: Criteria = { expectations: [], checks: [] }
  for (const { name, at, grader } of graders) {
    const reading = readGrader(grader, name)
    const place = `${key}/${at}`
    if ('mistake' in reading) reasons.push(`${at}: a grader ${typeWords(grader.type)} is not read: ${reading.mistake}`)
    else if ('unsupported' in reading)
      warn(place, `a grader ${typeWords(grader.type)} is not read: ${reading.unsupported}`)
    else {
      for (const field of listUnreadFields(grader)) warn(place, `"${field}" of a grader is not read`)
      if ('check' in reading) criteria.checks.push(reading.check)
      else criteria.expectations.push(reading.expectation)
    }
  }
  if (criteria.expectations.length + criteria.checks.length + reasons.length > 0) return { criteria, reasons }
  const outcome = readNonEmptyText(fields.expected_outcome)
  if (outcome === null) {
    warn(key, 'no criteria and no expected_outcome')
    return { criteria, reasons }
  }
  warn(key, 'no criteria; one expectation is derived from expected_outcome')
  return { criteria: { ...criteria, expectations: [deriveExpectation(outcome)] }, reasons }
}

function typeWords(type: unknown): string {
  if (type === undefined || type === null) return 'without a "type"'
  return `of type ${typeof type === 'string' && graderTypes.has(type) ? type : JSON.stringify(type)}`
}

/** Embeds the scaffold's text, so that changing it changes the run; it runs in the working folder in both configurations. */
async function readSetup(folder: string, fields: PluginFields): Promise<{ setup: string | null; reasons: string[] }> {
  const { scaffold_script: script = null } = fields
  if (script !== null && typeof script !== 'string')
    return {
      setup: null,
      reasons: [`"scaffold_script" is ${describeJsonKind(script)}, not the path of a script`],
    }
  const name = readNonEmptyText(script)
  if (name === null) return { setup: null, reasons: [] }
  const place = path.resolve(folder, name)
  if (await leavesPackage(folder, place)) {
    return { setup: null, reasons: [`scaffold script ${name}: leads out of what holds evals/`] }
  }
  const content = await readText(place).catch(() => null)
  if (content === null) return { setup: null, reasons: [`scaffold script ${name}: no such file`] }
  const looksAround = /BASH_SOURCE|\$\{?0\b/.test(content)
  const reasons = looksAround ? [`scaffold script ${name} looks for files next to itself, which is not supported`] : []
  return { setup: `bash -c ${quoteWord(content)}`, reasons }
}

/** Cases may share a script; a path or a link out of the package is refused. */
async function leavesPackage(folder: string, place: string): Promise<boolean> {
  const top = findPackageFolder(folder)
  if (isOutsideFolder(top, place)) return true
  const [real, base] = await Promise.all([realpath(place).catch(() => null), realpath(top)])
  return real !== null && isOutsideFolder(base, real)
}

/** `add_dirs`: each folder under its own name in the working folder, because agents have no other place to read from. */
async function placeAddedFolders(folder: string, { add_dirs: given }: PluginFields, warn: Warn): Promise<PlacedInputs> {
  const names: unknown[] = [given ?? []].flat()
  const place = { file: path.join(folder, 'case.yaml'), root: findPackageFolder(folder), warn }
  const inputs = names.filter(isText).map((name) => {
    const full = path.resolve(folder, name)
    return { path: isOutsideFolder(place.root, full) ? full : path.relative(place.root, full) || '.', at: '' }
  })
  const placed = await placeInputs(inputs, place, 'add_dirs')
  const files = placed.files.map((file) => ({ ...file, path: path.basename(file.source) }))
  const open = files.find(({ source }) => holdsGraders(source))
  const twin = files.find((file, index) => files.findIndex((other) => other.path === file.path) < index)
  const odd = names.filter((name) => !isText(name))
  const reasons = [
    ...placed.reasons,
    ...odd.map((name) => `"add_dirs" has ${describeJsonKind(name)}, not the path of a folder`),
    ...(twin === undefined ? [] : [`"add_dirs" has two folders named ${twin.path}: rename one`]),
    ...(open ? [`"add_dirs" has ${open.path}, which holds graders of the suite: agents must not see them`] : []),
  ]
  return { files, reasons }
}

/** Whether a folder is one of graders, or of a case. */
function holdsGraders(folder: string): boolean {
  return (
    path.basename(folder) === 'graders' ||
    ['graders', 'case.yaml', 'prompt.md'].some((name) => existsSync(path.join(folder, name)))
  )
}

const shaping = z.looseObject({
  append_system_prompt: z.string({ error: 'must be text' }).nullish(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]), { error: 'must be a mapping' }).nullish(),
})

/** `append_system_prompt` and `env`. */
function readSurroundings(fields: PluginFields): { environment: Environment | null; reasons: string[] } {
  const read = shaping.safeParse(fields)
  if (!read.success)
    return { environment: null, reasons: read.error.issues.map((one) => `"${one.path.join('.')}" ${one.message}`) }
  const { append_system_prompt: text, env } = read.data
  const environment = extendEnvironment(null, { env: env ?? undefined, programs: null })
  if (!text) return { environment, reasons: [] }
  return { environment: { ...(environment ?? emptyEnvironment), system_prompt: text }, reasons: [] }
}

/** Fields that do not affect Whetstone's runs, and what applies instead. */
const ignoredFields: Readonly<Record<string, string>> = {
  runs: '--runs sets it',
  model: '--engine and --model set it',
  max_turns: '--max-turns sets it',
  allowed_tools: 'the engine decides',
  disallowed_tools: 'the engine decides',
  plugins: 'only the skill is installed',
}

const knownFields: ReadonlySet<string> = new Set([
  ...['schema_version', 'name', 'prompt', 'expected_outcome', 'timeout_seconds', 'graders'],
  ...['execution', 'context', 'scaffold_script', 'history_file', 'conversation_history'],
  ...['add_dirs', 'append_system_prompt', 'env'],
])

/** Returns the misspelt names, which keep the case from running. */
function warnUnread(fields: PluginFields, key: string, warn: Warn): string[] {
  for (const [name, instead] of Object.entries(ignoredFields)) {
    if (fields[name] !== undefined && fields[name] !== null) warn(key, `"${name}" of a case is not read: ${instead}`)
  }
  return Object.keys(fields).flatMap((name) => {
    if (knownFields.has(name) || Object.hasOwn(ignoredFields, name) || isHarmless(name)) return []
    const meant = findMisspelling(name, [...knownFields, ...Object.keys(ignoredFields)])
    if (meant !== null) return [`"${name}" is not a known field (did you mean "${meant}"?)`]
    warn(key, `"${name}" of a case is not read`)
    return []
  })
}

/** `claude plugin eval` requires "1.0", or a later version with the same major number, in case.yaml. */
function warnVersion(version: unknown, key: string, warn: Warn): void {
  const isText = typeof version === 'string'
  if (isText && /^[01](\.|$)/.test(version.trim())) return
  const why = version == null ? 'is missing' : `${JSON.stringify(version)} is ${isText ? 'unknown' : 'not text'}`
  warn(`${key}/case.yaml`, `"schema_version" ${why}; the case is read as one of "1.0"`)
}

interface Form {
  wanted: string
  fits(value: unknown): boolean
}

const text: Form = { wanted: 'text', fits: (value) => typeof value === 'string' }
const mapping: Form = { wanted: 'a mapping', fits: isJsonObject }
const forms: Readonly<Record<string, Form>> = {
  expected_outcome: text,
  timeout_seconds: { wanted: 'a number of seconds above 0', fits: isSeconds },
  execution: mapping,
  context: mapping,
  graders: { wanted: 'a list', fits: Array.isArray },
}

/** Why the case cannot run: its graders or its limits would be lost. `null` counts as absent. */
function findWrongForms(fields: PluginFields): string[] {
  return Object.entries(forms).flatMap(([name, { wanted, fits }]) => {
    const value = fields[name] ?? null
    return value === null || fits(value) ? [] : [`"${name}" is ${formatFormValue(value)}, not ${wanted}`]
  })
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function formatFormValue(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'object' ? describeJsonKind(value) : JSON.stringify(value)
}
