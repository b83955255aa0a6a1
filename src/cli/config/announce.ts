/** Says what a configuration file has set, or prints all of it. */
import type { Configured } from './configure.ts'

/** As on the command line: no file sets these. */
export interface HowToAnnounce {
  printConfig: boolean
  json: boolean
}

/** On stderr what the file has set. With --print-config it prints that instead, and gives null: there is nothing more to do. */
export async function announced<T>(
  { of, configured }: { of: string; configured: Configured<T> },
  { printConfig: isPrinted, json }: HowToAnnounce,
): Promise<Configured<T>['args'] | null> {
  if (!isPrinted && configured.file === null) return configured.args
  const { printConfig, settingsLine } = await import('./print.ts')
  if (isPrinted) {
    process.stdout.write(`${printConfig({ of, configured }, json)}\n`)
    return null
  }
  const line = settingsLine(configured)
  if (line !== null) process.stderr.write(`${line}\n`)
  return configured.args
}
