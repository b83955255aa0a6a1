#!/usr/bin/env node
/** The program's entry: answers --version before anything is loaded, else hands over to main. */
import { readFileSync } from 'node:fs'
import { compileLater } from './tier_up.ts'

const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  const file = new URL('../../../package.json', import.meta.url)
  const found = /"version":\s*"([^"]+)"/.exec(readFileSync(file, 'utf8'))
  process.stdout.write(`${found?.[1] ?? 'unknown'}\n`)
} else {
  compileLater()
  const { main } = await import('./main.ts')
  process.exitCode = await main(argv)
}
