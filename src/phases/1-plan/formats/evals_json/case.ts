/** Reads one case of an evals.json into Whetstone's form. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { defaultUserTurns } from '../../../../../schemas/conversation.ts'
import type { SuiteCase, SuitePrograms } from '../../../../../schemas/suite.ts'
import { findFileImageType, imageLimits } from '../../../../base/fs/image_type.ts'
import { locateRepo } from '../../repo/locate_repo.ts'
import { slugOfFirstWords } from '../../skill/slug.ts'
import {
  type InputPlace,
  type NamedInput,
  placeBundle,
  placeInputs,
  resolveInnerFile,
} from '../../suite/input_files.ts'
import { joinReasons } from '../../suite/inspected_suite.ts'
import type { Warn } from '../../suite/loader_warnings.ts'
import { additionNames, type CaseAdditions, isOwnField } from './additions.ts'
import { type CaseSource, describeJsonKind } from './document.ts'
import { extendEnvironment, placeEnvironment } from './environment.ts'
import {
  collectUnreadFields,
  criteriaNames,
  type FieldReader,
  fileNames,
  gradingNames,
  idNames,
  isJsonObject,
  isText,
  openFieldReader,
  outputNames,
  promptNames,
  readNonEmptyText,
  takeMisspelt,
  takeSwitches,
  takeText,
  titleNames,
  triggerNames,
  warnAlias,
  warnRest,
} from './fields.ts'
import { placeGradingFiles } from './grading_files.ts'
import type { CaseId } from './ids.ts'
import { type CaseJudging, readJudging } from './judging.ts'
import { readUpkeep } from './upkeep.ts'

/** `review` of a case that a model wrote; its author removes it after reviewing. */
export const draftMark = 'draft'

const draftWarning = `a draft that is not reviewed yet ("review": "${draftMark}")`

export interface CaseParts {
  source: CaseSource
  own: CaseAdditions
  id: CaseId
}

export interface EvalsCasePlace {
  /** The suite file, absolute. */
  file: string
  /** The skill's folder, absolute. */
  root: string
  warn: Warn
  programs: SuitePrograms | null
}

/** Reads all fields of a case; what keeps it from running is in `cannot_run`. */
export async function readCase({ source, own, id }: CaseParts, place: EvalsCasePlace): Promise<SuiteCase> {
  const { warn } = place
  const { conversation = { criteria: [], fields: [] } } = own
  const fields = openFieldReader(withoutAdditions(source.object, conversation.fields), source.at)
  fields.take(idNames)
  const written = conversation.prompt ?? readCasePrompt(fields, warn)
  const { prompt, missing = [] } = await readPromptFile(written, { ...place, at: source.at })
  const instead = prompt === null ? describeNonPrompt(fields) : ''
  const eval_name = nameCase(fields, id, prompt)
  const { criteria: ofTurns, turns, end_when, user } = conversation
  const judged = readJudging({ fields, checks: own.checks ?? [], rubric: own.rubric || null, prompt, ofTurns }, warn)
  const judging = source.object.should_trigger === false ? invertTraces(judged, source.at, warn) : judged
  const named = readInputPaths(fields, warn)
  const inputs = await placeCaseFiles(named.paths, own.attach, { ...place, at: source.at })
  const bundle =
    own.git === undefined || own.git === true
      ? null
      : await placeBundle({ path: own.git.bundle, at: `${source.at}.git.bundle` }, place)
  const graders = await placeGradingFiles(judging.checks, {
    ...place,
    at: source.at,
    inputs: inputs.given.files,
    prompt: prompt ?? '',
    opensFolder: own.setup !== undefined || bundle !== null,
  })
  const repo = own.repo === undefined ? null : locateRepo(own.repo, place.root)
  const around = await placeEnvironment(own.environment, source.at, place)
  const environment = extendEnvironment(around.environment, { env: own.env, programs: place.programs })
  const isDraft = fields.take(['review'], (value) => value === draftMark) !== null
  if (isDraft) warn(source.at, draftWarning)
  const noted = { ...collectUnreadFields(fields), ...(source.noted && { suite: source.noted }) }
  const unread = leaveRest(fields, warn)
  const reasons = [
    ...(prompt === null ? [`it has no prompt${instead}`] : describeLostPrompt(source.object, conversation.fields)),
    ...missing,
    ...unread,
    ...judging.reasons,
    ...findUnsentMessages(judging, conversation),
    ...named.reasons,
    ...inputs.reasons,
    ...graders.reasons,
    ...(bundle?.reasons ?? []),
    ...(repo?.reasons ?? []),
    ...(own.repo !== undefined && own.git !== undefined ? ['it has both "git" and "repo": remove one'] : []),
    ...around.reasons,
  ]
  return {
    eval_id: id.eval_id,
    eval_key: own.eval_key ?? id.eval_key,
    eval_name,
    prompt: prompt ?? '',
    expected_output: judging.expected_output,
    ...(turns && { turns }),
    ...(end_when && { end_when }),
    ...(user && { user }),
    ...inputs.given,
    expectations: judging.expectations,
    checks: graders.checks,
    ...(graders.files.length > 0 && { grading_files: graders.files }),
    reference: own.reference ?? null,
    timeout_seconds: own.timeout ?? null,
    setup: joinCommands(own.setup) ?? null,
    ...(own.teardown !== undefined && { teardown: joinCommands(own.teardown) }),
    ...(own.collect && { collect: own.collect }),
    git: own.git === true ? true : (bundle?.state ?? null),
    ...(repo?.repo && { repo: repo.repo }),
    ...(environment && { environment }),
    ...(isDraft && { draft: true as const }),
    ...(own.split && { split: own.split }),
    ...readUpkeep(own, source.at, warn),
    ...(Object.keys(noted).length > 0 && { metadata: noted }),
    cannot_run: joinReasons(reasons),
  }
}

/** A list is one script, so that a change of folder or a variable stays; it ends at the first command that fails. */
function joinCommands(given: string | readonly string[] | undefined): string | undefined {
  return given === undefined || typeof given === 'string' ? given : ['set -e', ...given].join('\n')
}

function withoutAdditions(object: CaseSource['object'], read: readonly string[]): CaseSource['object'] {
  const isLeft = ([key, value]: [string, unknown]) => !isOwnField(key, value) && !read.includes(key)
  return Object.fromEntries(Object.entries(object).filter(isLeft))
}

/** Statements about the answer to a message that the case does not have. */
function findUnsentMessages(
  { expectations, checks }: Pick<SuiteCase, 'expectations' | 'checks'>,
  { turns = [], user }: Pick<SuiteCase, 'turns' | 'user'>,
): string[] {
  const most = 1 + (user === undefined ? turns.length : (user.max_turns ?? defaultUserTurns))
  const ofChecks = checks.map((check) => ({ text: check.type, turn: 'turn' in check ? check.turn : undefined }))
  return [...expectations, ...ofChecks].flatMap(({ text, turn = 1 }) =>
    turn <= most
      ? []
      : [`"${text}" is about message ${turn}, and the case has ${most === 1 ? 'only one' : `only ${most}`}`],
  )
}

/** As written, white space included; null: the case has none. */
function readCasePrompt(fields: FieldReader, warn: Warn): string | null {
  const taken = fields.take(promptNames, isText)
  warnAlias(taken, promptNames, warn)
  return isText(taken?.value) ? taken.value : null
}

/** A single word that names a file: `prompts/x.md`, `file://x`, `@x.md`. */
const promptFile = /^(?:file:\/\/(?<address>\S+)|@?(?<name>[^\s@]+\.(?:md|markdown|txt|prompt)))$/

/** The content of the file that a prompt names, in the suite's folder or the skill's; other prompts as they are. */
async function readPromptFile(
  written: string | null,
  { at, ...place }: EvalsCasePlace & { at: string },
): Promise<{ prompt: string | null; missing?: string[] }> {
  const { address, name = address } = promptFile.exec(written?.trim() ?? '')?.groups ?? {}
  if (name === undefined) return { prompt: written }
  for (const given of [path.relative(place.root, path.resolve(path.dirname(place.file), name)), name]) {
    const found = await resolveInnerFile(given, place)
    if ('reason' in found) continue
    place.warn(at, `the prompt names a file; its content is the prompt: ${given}`)
    return { prompt: await readFile(found.file, 'utf8') }
  }
  if (address === undefined && !/[@/]/.test(written ?? '')) return { prompt: written }
  return { prompt: written, missing: [`its prompt names a file that is not in the skill's folder: ${name}`] }
}

/** Describes a prompt of another type; empty: there is none. */
function describeNonPrompt(fields: FieldReader): string {
  const found = fields.rest().find(({ key, value }) => askingNames.includes(key) && typeof value !== 'string')
  return found === undefined ? '' : `: "${found.key}" is ${describeJsonKind(found.value)}, not text`
}

/** Statements that something was pushed or committed. Where the skill must not be used, agent-skill-eval expects the opposite. */
const traces =
  /^(?!.*\b(?:no|not|never|without|n't)\b)(?=.*\b(?:created|exists|new|pushed|opened)\b).*\b(?:branch|commit|push(?:ed)?|pr|pull request)\b/i

function invertTraces(judging: CaseJudging, at: string, warn: Warn): CaseJudging {
  const expectations = judging.expectations.map((one) => {
    if (!traces.test(one.text)) return one
    warn(
      at,
      '"should_trigger" is false: a statement about a branch, a commit or a pull request is read as its opposite',
    )
    return { ...one, text: `It is not so that: ${one.text}` }
  })
  return { ...judging, expectations }
}

/** A "prompt" that is not text, beside turns that the case would start with instead. */
function describeLostPrompt({ prompt = null }: CaseSource['object'], read: readonly string[]): string[] {
  return prompt === null || typeof prompt === 'string' || read.includes('prompt')
    ? []
    : [`"prompt" is ${describeJsonKind(prompt)}, not text`]
}

const askingNames = [...promptNames, 'messages', 'turns']

/** Its name or title, or else a textual id, or else a slug of the prompt's first words. */
function nameCase(fields: FieldReader, id: CaseId, prompt: string | null): string {
  const title = takeText(fields, titleNames)
  const key = id.eval_key !== null && !/^[-\d.]+$/.test(id.eval_key) ? id.eval_key : null
  return title ?? key ?? (slugOfFirstWords(prompt ?? '') || `case-${id.eval_id}`)
}

/** Paths as written. Skips null items; other items without a path keep the case from running, because its task would lack them. */
function readInputPaths(fields: FieldReader, warn: Warn): { paths: NamedInput[]; reasons: string[] } {
  const taken = fields.take(fileNames)
  warnAlias(taken, fileNames, warn)
  const found: { paths: NamedInput[]; reasons: string[] } = { paths: [], reasons: [] }
  if (taken === null) return found
  const isList = Array.isArray(taken.value)
  if (!isList) warn(taken.at, `${describeJsonKind(taken.value)}, not a list; it is read as one file`)
  const items: unknown[] = Array.isArray(taken.value) ? taken.value : [taken.value]
  for (const [index, item] of items.entries()) {
    const at = isList ? `${taken.at}[${index}]` : taken.at
    const path = isJsonObject(item)
      ? takeText(openFieldReader(item, at), ['path', 'file', 'source'])
      : readNonEmptyText(item)
    if (path !== null) found.paths.push({ path, at })
    if (path !== null && isJsonObject(item)) warn(at, 'an object; its path is the file')
    if (item === null) warn(at, 'null, not a file; it is skipped')
    else if (path === null) found.reasons.push(`${at} is ${describeJsonKind(item)} without a path`)
  }
  return found
}

/** The format's own names come first, because the first of two equally near names is suggested. */
const knownNames = [
  ...['prompt', 'messages', 'turns', 'end_when', 'expected_output', 'expectations', 'assertions', 'eval_name', 'files'],
  ...additionNames.filter((name) => name !== 'env'), // too short: en, end and eng are other fields
  ...[...promptNames, ...outputNames, ...criteriaNames, ...gradingNames, ...titleNames, ...fileNames],
]

/** Warns about unread fields and returns what keeps the case from running: switches and misspelt names. */
function leaveRest(fields: FieldReader, warn: Warn): string[] {
  const trigger = fields.take(triggerNames)
  if (trigger !== null) {
    warn(trigger.at, `"${trigger.key}" is not read: trigger evals belong in a set of their own; here the case is run`)
  }
  const sandbox = fields.take(['sandbox'])
  if (sandbox !== null)
    warn(sandbox.at, '"sandbox" of a case is not read: write it at the top of the file, where it is for all cases')
  const reasons = [...takeSwitches(fields), ...takeMisspelt(fields, knownNames)]
  warnRest(fields, { what: 'a case', warn, known: knownNames })
  return reasons
}

type Attached = NonNullable<SuiteCase['attach']>

/** Returns the case's input files, attached ones included. Never throws: an unusable file becomes a reason. `at`: JSON path of the case. */
async function placeCaseFiles(
  named: readonly NamedInput[],
  attach: readonly string[] | undefined,
  place: InputPlace & { at: string },
): Promise<{ given: Pick<SuiteCase, 'files' | 'attach'>; reasons: string[] }> {
  const { files, reasons } = await placeInputs(named, place)
  const asked = (attach ?? []).map((path, index) => ({ path, at: `${place.at}.attach[${index}]` }))
  const found = await placeInputs(asked, place, 'attached file')
  reasons.push(...found.reasons)
  const attached: Attached = []
  let left = imageLimits.total
  for (const file of found.files) {
    const isFile = file.kind === 'file'
    const image = isFile && (await findFileImageType(file.source)) !== null
    if (image) left -= file.bytes
    if (!isFile) reasons.push(`attached file ${file.path}: a folder: name its files, or put it into "files"`)
    else if (image && file.bytes > imageLimits.bytes)
      reasons.push(`attached file ${file.path}: an image above ${mebibytes(imageLimits.bytes)}: make it smaller`)
    else if (image && left < 0)
      reasons.push(`attached file ${file.path}: the images of a prompt are above ${mebibytes(imageLimits.total)}`)
    if (!files.some(({ path }) => path === file.path)) files.push(file)
    attached.push({ path: file.path, image })
  }
  return { given: { files, ...(attached.length > 0 && { attach: attached }) }, reasons }
}

function mebibytes(bytes: number): string {
  return `${bytes / 2 ** 20} MiB`
}
