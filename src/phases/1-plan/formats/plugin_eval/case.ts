/** One case of a plugin's suite: prompt.md, case.yaml or both, and graders/*.md. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import { readText } from '../../../../base/json.ts'
import { leaves } from '../../inputs.ts'
import type { Warn } from '../../warnings.ts'
import { kindOf } from '../evals_json/document.ts'
import { textIn } from '../evals_json/fields.ts'
import { derivedFrom } from '../evals_json/judging.ts'
import { type CaseFiles, type Fields, packageOf, readFiles } from './files.ts'
import { isSeconds, warnForms } from './forms.ts'
import { graderTypes, readGrader } from './graders.ts'

/** Reads the case in `folder`, called `key` in its suite. What keeps it from running is in `cannot_run`. */
export async function readPluginCase(folder: string, key: string, warn: Warn): Promise<Omit<SuiteCase, 'eval_id'>> {
  const files = await readFiles(folder)
  const { fields } = files
  const criteria = criteriaOf(files, key, warn)
  const expected_output = textIn(fields.expected_outcome)
  const start = await setupOf(folder, fields)
  const prompt = files.prompt ?? textIn(fields.prompt)
  const reasons = [...files.reasons, ...(prompt === null ? [noPrompt(fields)] : []), ...start.reasons]
  warnForms(fields, key, warn)
  if (files.hasStrayGraders) warn(key, strayGraders)
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
    timeout_seconds: isSeconds(fields.timeout_seconds) ? fields.timeout_seconds : null,
    setup: start.setup,
    git: null,
    ...(Object.keys(noted).length > 0 && { metadata: noted }),
    cannot_run: reasons.length === 0 ? null : reasons.join('; '),
  }
}

const strayGraders = '"graders" of a case is not read there: they stand at the top of case.yaml, or in graders/*.md'

function noPrompt({ prompt }: Fields): string {
  const isThere = prompt !== undefined && prompt !== null && typeof prompt !== 'string'
  return `it has no prompt${isThere ? `: "prompt" is ${kindOf(prompt)}, not text` : ''}`
}

type Criteria = Pick<SuiteCase, 'expectations' | 'checks'>

function criteriaOf({ graders, fields }: CaseFiles, key: string, warn: Warn): Criteria {
  const criteria: Criteria = { expectations: [], checks: [] }
  for (const { name, at, grader } of graders) {
    const reading = readGrader(grader, name)
    const place = `${key}/${at}`
    if ((grader.weight ?? 1) !== 1) warn(place, 'its weight is not read: criteria count the same')
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
  const { scaffold_script: script = null, history_file: history = null } = fields
  const before =
    history === null || (typeof history === 'string' && history.trim() === '')
      ? []
      : ['it goes on from a conversation (history_file), which is not supported']
  if (script !== null && typeof script !== 'string')
    return { setup: null, reasons: [...before, `"scaffold_script" is ${kindOf(script)}, not the path of a script`] }
  const name = textIn(script)
  if (name === null) return { setup: null, reasons: before }
  const place = path.resolve(folder, name)
  if (await leavesPackage(folder, place)) {
    return { setup: null, reasons: [...before, `scaffold script ${name}: leads out of what holds evals/`] }
  }
  const content = await readText(place).catch(() => null)
  if (content === null) return { setup: null, reasons: [...before, `scaffold script ${name}: no such file`] }
  const looksAround = /BASH_SOURCE|\$\{?0\b/.test(content)
  const reasons = looksAround ? [`scaffold script ${name} looks for files beside itself, which is not supported`] : []
  return { setup: `bash -c '${content.replaceAll("'", `'\\''`)}'`, reasons: [...before, ...reasons] }
}

/** Cases may share a script; none comes from elsewhere, by a link neither. */
async function leavesPackage(folder: string, place: string): Promise<boolean> {
  const top = packageOf(folder)
  if (leaves(top, place)) return true
  const [real, base] = await Promise.all([realpath(place).catch(() => null), realpath(top)])
  return real !== null && leaves(base, real)
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
