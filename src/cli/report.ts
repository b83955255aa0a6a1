/** --reporter for the commands: what words the reports is loaded only where one is asked for. */
import type { Reporter, ReportTexts } from './reporters.ts'

type Texts = typeof import('./report_texts.ts')['reportTexts']

/** Writes reports; what words them is loaded when there is one to write. */
export async function report<T>(
  reporters: readonly Reporter[],
  textsOf: (all: Texts) => ReportTexts<T>,
  value: T,
): Promise<void> {
  if (reporters.length === 0) return
  const [{ writeReports }, { reportTexts }] = await Promise.all([import('./reporters.ts'), import('./report_texts.ts')])
  await writeReports(reporters, textsOf(reportTexts), value)
}

/** Read before anything is paid for. Throws UserError. */
export async function reportersGiven(given: readonly string[]): Promise<Reporter[]> {
  return given.length === 0 ? [] : await (await import('./reporters.ts')).reportersOf(given)
}
