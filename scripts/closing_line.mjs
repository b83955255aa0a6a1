// Prints the plain closing line of a test run, `N passed, N failed, N skipped`, from vitest's own summary in a log.
import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

const log = stripVTControlCharacters(readFileSync(process.argv[2], 'utf8'))
const summary = log.split('\n').findLast((line) => /^\s*Tests\s/.test(line)) ?? ''
const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0)
console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`)
