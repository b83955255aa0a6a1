/** Reports for others than the person at the terminal: JUnit, GitHub Actions, Markdown, JSON. */
import { appendFile, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { codeOf, messageOf, UserError } from '../base/error.ts'
import { writeAtomic } from '../base/files.ts'
import { nearest } from '../base/nearest.ts'
import { toGithub } from '../phases/4-report/github.ts'
import { type Reported, toJunit } from '../phases/4-report/junit.ts'
import { toMarkdown } from '../phases/4-report/markdown.ts'

const files = {
  junit: toJunit,
  markdown: (all) => all.map(({ benchmark }) => toMarkdown(benchmark)).join('\n'),
  json: (all) =>
    `${JSON.stringify(
      all.map(({ name, benchmark, gates }) => ({ name, gates, benchmark })),
      null,
      2,
    )}\n`,
} satisfies Record<string, (all: readonly Reported[]) => string>

type FileReporter = keyof typeof files
export type Reporter = { kind: 'github' } | { kind: FileReporter; file: string }

const form = 'such as --reporter junit:results.xml,github,markdown:report.md,json:report.json'

/** Throws UserError for a reporter that is not known, has no path, or whose file can't lie there. */
export async function reportersOf(given: readonly string[]): Promise<Reporter[]> {
  const reporters = given
    .flatMap((one) => one.split(','))
    .filter((one) => one.trim() !== '')
    .map(reporterOf)
  for (const reporter of reporters) if (reporter.kind !== 'github') await refuseBadPlace(reporter.file)
  return reporters
}

function reporterOf(text: string): Reporter {
  const [, kind = '', file = ''] = /^\s*([^:]*):?(.*?)\s*$/s.exec(text) ?? []
  if (kind === 'github' && file === '') return { kind }
  const name = Object.keys(files).find((one): one is FileReporter => one === kind)
  if (name === undefined) {
    const near = nearest(kind, [...Object.keys(files), 'github'])
    const fix = near.length > 0 ? `did you mean ${near.join(' or ')}? ${form}` : form
    throw new UserError(`--reporter ${text}: ${kind === 'github' ? 'takes no path' : 'no such reporter'}`, fix)
  }
  if (file === '') throw new UserError(`--reporter ${text}: no path`, `${name}:<path>, ${form}`)
  return { kind: name, file: path.resolve(file) }
}

async function refuseBadPlace(file: string): Promise<void> {
  const mistake = (message: string) =>
    new UserError(`--reporter: ${file}: ${message}`, 'name a file that can be written')
  const there = await stat(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null
    throw mistake(messageOf(error))
  })
  if (there?.isDirectory() === true) throw mistake('is a folder')
}

/** Writes them; of GitHub's, the annotations go to stderr, which its runner reads too, and the summary to its file. */
export async function report(reporters: readonly Reporter[], all: readonly Reported[]): Promise<void> {
  if (all.length === 0) return
  for (const reporter of reporters) {
    if (reporter.kind === 'github') await reportGithub(all)
    else {
      await mkdir(path.dirname(reporter.file), { recursive: true })
      await writeAtomic(reporter.file, files[reporter.kind](all))
    }
  }
}

async function reportGithub(all: readonly Reported[]): Promise<void> {
  process.stderr.write(`${toGithub(all).join('\n')}\n`)
  const summary = process.env.GITHUB_STEP_SUMMARY
  if (summary !== undefined && summary !== '') await appendFile(summary, `${files.markdown(all)}\n`)
}
