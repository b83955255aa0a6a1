#!/usr/bin/env node
/** The program's entry: answers --version and --help before anything is loaded, else hands over to main. */
import { readFileSync } from 'node:fs'
import { watchOutput } from './output.ts'
import { terminalWidth } from './terminal_size.ts'
import { setForSeconds } from './v8_flags.ts'

const argv = process.argv.slice(2)
const isAlone = (...names: string[]) => argv.length === 1 && names.includes(argv[0] ?? '')

/** As it was built, for terminals that are wide enough; null: it has to be made. */
function helpOf(): string | null {
  if (terminalWidth(process.stdout) < 100) return null
  try {
    return readFileSync(new URL('../../program/help.txt', import.meta.url), 'utf8')
  } catch {
    return null
  }
}

const help = isAlone('--help', '-h') ? helpOf() : null
if (isAlone('--version', '-v')) {
  watchOutput()
  const file = new URL('../../../package.json', import.meta.url)
  const found = /"version":\s*"([^"]+)"/.exec(readFileSync(file, 'utf8'))
  process.stdout.write(`${found?.[1] ?? 'unknown'}\n`)
} else if (help !== null) {
  watchOutput()
  process.stdout.write(help)
} else {
  setForSeconds()
  const { main } = await import('./main.ts')
  process.exitCode = await main(argv)
}
