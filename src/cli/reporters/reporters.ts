/** --reporter: parses and writes reports for other tools (JUnit, GitHub Actions, Markdown, JSON), each where no file of a skill or suite is overwritten. */
import { existsSync, statSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { whyNotWritable } from '../../base/fs/writable.ts'
import { didYouMean } from '../../base/text/did_you_mean.ts'

export interface ReportTexts<T> {
  junit(value: T): string
  markdown(value: T): string
  json(value: T): string
  /** Workflow commands, one per line. */
  github(value: T): string[]
}

type FileReporter = Exclude<keyof ReportTexts<never>, 'github'>
export type Reporter = { kind: 'github' } | { kind: FileReporter; file: string }

const fileReporters = ['junit', 'markdown', 'json'] as const satisfies readonly FileReporter[]
const form = 'such as --reporter junit:results.xml,github,markdown:report.md,json:report.json'

/** Throws UserError for an unknown reporter, a missing path, or an unsuitable file. */
export async function parseReporters(given: readonly string[]): Promise<Reporter[]> {
  const reporters = given
    .flatMap((one) => one.split(','))
    .filter((one) => one.trim() !== '')
    .map(parseReporter)
  for (const reporter of reporters) if (reporter.kind !== 'github') await assertReportPlace('--reporter', reporter.file)
  return reporters
}

function parseReporter(text: string): Reporter {
  const [, kind = '', file = ''] = /^\s*([^:]*):?(.*?)\s*$/s.exec(text) ?? []
  if (kind === 'github' && file === '') return { kind }
  const name = fileReporters.find((one) => one === kind)
  if (name === undefined) {
    const fix = didYouMean(kind, [...fileReporters, 'github']) ?? form
    throw new UserError(`--reporter "${text}": ${kind === 'github' ? 'takes no path' : 'unknown reporter'}`, fix)
  }
  if (file === '') throw new UserError(`--reporter "${text}": no path`, `expected ${name}:<path>`)
  return { kind: name, file: path.resolve(file) }
}

/** Writes all reports. Throws UserError afterwards, naming each file that can't be written. */
export async function writeReports<T>(reporters: readonly Reporter[], texts: ReportTexts<T>, value: T): Promise<void> {
  const failures: string[] = []
  for (const reporter of reporters) {
    try {
      await writeReport(reporter, texts, value)
    } catch (error) {
      const file = reporter.kind === 'github' ? process.env.GITHUB_STEP_SUMMARY : reporter.file
      failures.push(`--reporter ${reporter.kind}: ${file} can't be written: ${errorMessage(error)}`)
    }
  }
  const fix = 'choose a file that can be written (the results are kept; only this report is missing)'
  if (failures.length > 0) throw new UserError(failures.join('\n'), fix)
}

/** For GitHub, annotations go to stderr, which its runner also reads, and the summary to its file. */
async function writeReport<T>(reporter: Reporter, texts: ReportTexts<T>, value: T): Promise<void> {
  if (reporter.kind !== 'github') return await writeAtomic(reporter.file, texts[reporter.kind](value))
  process.stderr.write(`${texts.github(value).join('\n')}\n`)
  const summary = process.env.GITHUB_STEP_SUMMARY
  if (summary !== undefined && summary !== '') await appendFile(summary, `${texts.markdown(value)}\n`)
}

/** Sources of skills, agents and suites: a report that replaces one is a mistake. */
const sources = [
  /^(SKILL|EVAL|AGENTS?|CLAUDE|rubric|judge|model|persona)\.md$/,
  /\.EVAL\.md$/,
  /^(evals|hooks|servers|package\.agent|eval-config|test-config)\.json$/,
  /\.ya?ml$/,
]
const sourceFolders = new Set(['golden', 'cases', 'fixtures'])

/** `flag`: the one that names the file (absolute). Throws UserError for a folder, an unwritable path, and a suite's file. */
export async function assertReportPlace(flag: string, file: string): Promise<void> {
  const isThere = existsSync(file)
  const isFolder = isThere && statSync(file).isDirectory()
  const reason = isFolder ? 'is a folder' : whyNotWritable({ place: file, kind: 'file' })
  if (reason !== null) throw new UserError(`${flag}: ${file}: ${reason}`, 'choose a file that can be written')
  if (isThere && isSource(file)) {
    throw new UserError(
      `${flag}: ${file}: belongs to a skill or a suite; refusing to overwrite it`,
      'choose another file',
    )
  }
}

function isSource(file: string): boolean {
  const above = path.dirname(file).split(path.sep)
  const [last, before] = [above.at(-1), above.at(-2)] // golden tests have a folder for each category
  const inSuite = [last, before].some((name) => name !== undefined && sourceFolders.has(name))
  return inSuite || sources.some((form) => form.test(path.basename(file)))
}
