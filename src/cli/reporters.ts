/** --reporter: reports for others than the person at the terminal (JUnit, GitHub Actions, Markdown, JSON): which, and where they go. */
import { appendFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { writeAtomic } from '../base/durable.ts'
import { UserError } from '../base/error.ts'
import { nearest } from '../base/nearest.ts'
import { refuseBadPlace } from './report_place.ts'

/** What is reported, in the words of each kind of report. */
export interface ReportTexts<T> {
  junit(value: T): string
  markdown(value: T): string
  json(value: T): string
  /** Workflow commands, one a line. */
  github(value: T): string[]
}

type FileReporter = Exclude<keyof ReportTexts<never>, 'github'>
export type Reporter = { kind: 'github' } | { kind: FileReporter; file: string }

const fileReporters = ['junit', 'markdown', 'json'] as const satisfies readonly FileReporter[]
const form = 'such as --reporter junit:results.xml,github,markdown:report.md,json:report.json'

/** Throws UserError for a reporter that is not known, has no path, or whose file can't lie there. */
export async function reportersOf(given: readonly string[]): Promise<Reporter[]> {
  const reporters = given
    .flatMap((one) => one.split(','))
    .filter((one) => one.trim() !== '')
    .map(reporterOf)
  for (const reporter of reporters) if (reporter.kind !== 'github') await refuseBadPlace('--reporter', reporter.file)
  return reporters
}

function reporterOf(text: string): Reporter {
  const [, kind = '', file = ''] = /^\s*([^:]*):?(.*?)\s*$/s.exec(text) ?? []
  if (kind === 'github' && file === '') return { kind }
  const name = fileReporters.find((one) => one === kind)
  if (name === undefined) {
    const near = nearest(kind, [...fileReporters, 'github'])
    const fix = near.length > 0 ? `did you mean ${near.join(' or ')}? ${form}` : form
    throw new UserError(`--reporter ${text}: ${kind === 'github' ? 'takes no path' : 'no such reporter'}`, fix)
  }
  if (file === '') throw new UserError(`--reporter ${text}: no path`, `${name}:<path>, ${form}`)
  return { kind: name, file: path.resolve(file) }
}

/** Writes them; of GitHub's, the annotations go to stderr, which its runner reads too, and the summary to its file. */
export async function writeReports<T>(reporters: readonly Reporter[], texts: ReportTexts<T>, value: T): Promise<void> {
  for (const reporter of reporters) {
    if (reporter.kind === 'github') {
      process.stderr.write(`${texts.github(value).join('\n')}\n`)
      const summary = process.env.GITHUB_STEP_SUMMARY
      if (summary !== undefined && summary !== '') await appendFile(summary, `${texts.markdown(value)}\n`)
      continue
    }
    await mkdir(path.dirname(reporter.file), { recursive: true })
    await writeAtomic(reporter.file, texts[reporter.kind](value))
  }
}
