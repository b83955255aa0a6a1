/** Loads SkillKit's EVAL.md: Markdown next to what it tests, with a case under each ## heading. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { LoadWarning, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readText } from '../../base/json/json.ts'
import type { InspectedSuite, SuiteFormat } from '../../phases/1-plan/suite/inspected_suite.ts'
import { blankCase, joinReasons } from '../../phases/1-plan/suite/inspected_suite.ts'
import type { OwnJudge } from '../../phases/3-judge/judge_request.ts'
import { type EvalMdCase, type EvalMdMistake, type EvalMdReading, readEvalMd } from './read.ts'
import type { EvalMdSettings } from './settings.ts'
import { type EvalMdSubject, resolveSubject } from './subject.ts'

const evalMdPlaces = ['EVAL.md', '<name>.eval.md', '<source>.EVAL.md']

/** Seconds per run; the format's default. */
const timeout = 30

/** Bytes per file. */
const longest = 1024 * 1024

function isEvalMd(file: string): boolean {
  return /(?:^|[/\\])(?:EVAL\.md|[^/\\]+\.(?:eval|EVAL)\.md)$/.test(file)
}

/** Finds the suite of a skill's folder; null: none, or a plain report with that name. */
async function findEvalMd(folder: string): Promise<string | null> {
  const file = path.join(folder, 'EVAL.md')
  if (!(await pathExists(file))) return null
  return (await readEvalMdFile(file)).kind === 'no_suite' ? null : file
}

/** Searches at any depth; a file without a Prompt or Expect heading is a report and is left out. */
async function discoverEvalMd({ root, files }: { root: string; files: readonly string[] }): Promise<string[]> {
  const named = files.filter(isEvalMd)
  const kinds = await Promise.all(named.map(async (file) => (await readEvalMdFile(path.join(root, file))).kind))
  return named.filter((_, index) => kinds[index] !== 'no_suite')
}

/** Throws UserError with file, line and reason if the file is not a suite, or is broken as a whole. */
export async function loadEvalMd(file: string): Promise<Suite> {
  const reading = await readEvalMdFile(file)
  switch (reading.kind) {
    case 'no_suite':
      throw new UserError(
        `${file}: no suite: ${reading.why}`,
        'a case is a line ## <name>, under it ### Prompt and ### Expect',
      )
    case 'broken':
      throw toMistakesError(file, reading.mistakes)
    case 'suite':
      return buildEvalMdSuite(file, reading)
  }
}

async function inspectEvalMd(file: string): Promise<InspectedSuite> {
  const reading = await readEvalMdFile(file)
  const suite = await loadEvalMd(file)
  const lines = reading.kind === 'suite' ? reading.cases.map(({ line }) => line) : []
  return { suite, places: lines.map((line) => ({ file, at: `line ${line}` })), mistakes: [] }
}

async function readEvalMdFile(file: string): Promise<EvalMdReading> {
  const size = (await stat(file).catch(() => null))?.size ?? 0
  if (size > longest) return toBrokenReading(`larger than ${longest} bytes`, 'part it into several files')
  const text = await readText(file)
  return text.includes('\0')
    ? toBrokenReading('it is not UTF-8 text', 'save it as UTF-8, or rename it')
    : readEvalMd(text)
}

function toBrokenReading(message: string, fix: string): EvalMdReading {
  return { kind: 'broken', mistakes: [{ line: 1, column: 1, message, fix }] }
}

export function toMistakesError(file: string, mistakes: readonly EvalMdMistake[]): UserError {
  const lines = mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`)
  return new UserError(lines.join('\n'), mistakes.find(({ fix }) => fix !== null)?.fix ?? null)
}

/** Also builds suites from text inside another file, such as a comment. */
export async function buildEvalMdSuite(
  file: string,
  reading: Extract<EvalMdReading, { kind: 'suite' }>,
): Promise<Suite> {
  const { settings, cases, remarks } = reading
  const subject = await resolveSubject(file, settings)
  const unknown = settings.unknown.map(({ name, line }) => ({
    line,
    message: `the field ${name} is not known and not read`,
  }))
  const said = [...unknown, ...remarks].map(({ line, message }) => ({ file, at: `line ${line}`, message }))
  return {
    format: 'eval.md',
    path: file,
    skill_name: subject.name,
    root: subject.root,
    ...buildEvalMdDefaults(subject, settings),
    cases: cases.map((one, index) => buildEvalMdCase(one, index + 1, { file, subject, metadata: settings.metadata })),
    warnings: [...subject.warnings, ...said] satisfies LoadWarning[],
  }
}

/** SkillKit loads the skill under test, so that is the default. */
function buildEvalMdDefaults({ model, skill }: EvalMdSubject, { activation }: EvalMdSettings): Pick<Suite, 'defaults'> {
  const how = skill !== null && { activation: activation ?? ('loaded' as const) }
  return { defaults: { timeout_seconds: timeout, ...(model !== null && model), ...how } }
}

function buildEvalMdCase(
  one: EvalMdCase,
  id: number,
  { file, subject, metadata }: { file: string; subject: EvalMdSubject; metadata: EvalMdSettings['metadata'] },
): SuiteCase {
  const missing = [one.prompt === null && 'Prompt', one.expect === null && 'Expect'].filter(Boolean)
  const place = `${file}:${one.line}:1`
  const lacks = missing.length === 0 ? [] : [`${place}: the case has no ${missing.join(' and no ')}, or nothing in it`]
  const reasons = [...lacks, ...subject.reasons]
  return {
    eval_id: id,
    eval_key: null,
    eval_name: one.name,
    ...blankCase,
    prompt: one.prompt?.text ?? '',
    expectations: one.expect === null ? [] : [{ text: one.expect.text }],
    ...(subject.environment && { environment: subject.environment }),
    cannot_run: joinReasons(reasons),
    ...(subject.target !== null && { target: subject.target }),
    skill_path: subject.skill?.path ?? null,
    judging: { kind: 'verdict' },
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(subject.code && { files: subject.code.files, source: subject.code.source }),
  }
}

export const evalMdFormat: SuiteFormat = {
  places: evalMdPlaces,
  find: findEvalMd,
  needsNoSkill: true,
  discover: discoverEvalMd,
  reads: isEvalMd,
  inspect: inspectEvalMd,
}

export const verdictJudge: OwnJudge = {
  promptVersion: 'verdict-1',
  load: async () => (await import('./steps.ts')).judgeByVerdict,
}
