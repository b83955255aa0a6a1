/** Reports what a configuration file sets, or prints the whole configuration. */
import type { ConfiguredArguments } from './configure.ts'
import { printConfig, settingsLines } from './print_config.ts'

/** From the command line: no file sets these. */
export interface HowToAnnounce {
  printConfig: boolean
  json: boolean
}

/** Reports on stderr what the file sets. With --print-config it prints everything and returns null: the command is done. */
export async function announceConfig<T>(
  { of, configured }: { of: string; configured: ConfiguredArguments<T> },
  { printConfig: isPrinted, json }: HowToAnnounce,
): Promise<ConfiguredArguments<T>['args'] | null> {
  if (isPrinted) {
    process.stdout.write(`${printConfig({ of, configured }, json)}\n`)
    return null
  }
  for (const line of settingsLines(configured)) process.stderr.write(`${line}\n`)
  return configured.args
}
