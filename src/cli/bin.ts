#!/usr/bin/env node
/** The program's entry point: answers --version itself, passes everything else to main. */
import { readFileSync } from 'node:fs'
import { watchOutput } from './exit_codes.ts'

const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  watchOutput()
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  process.stdout.write(`${version}\n`)
} else {
  const { main } = await import('./main.ts')
  process.exitCode = await main(argv)
}
