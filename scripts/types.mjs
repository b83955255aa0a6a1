// Copies the type declarations that the library's public types need: a fifth of all declarations.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const relativeImport = /((?:from|import\()\s*['"])(\.[^'"]+)\.[jt]s(['"])/g

/** Copies the declarations of `whetstone` and `whetstone/vitest`, and every one that these import, from `from` to `to`. */
export function copyTypes(from, to) {
  const files = new Set(['src/index.d.ts', 'src/runners/vitest.d.ts'])
  // a set also gives what is added while it is read
  for (const file of files) {
    const text = readFileSync(path.join(from, file), 'utf8')
    for (const [, , imported] of text.matchAll(relativeImport)) {
      files.add(path.posix.join(path.posix.dirname(file), `${imported}.d.ts`))
    }
    const copy = path.join(to, file)
    mkdirSync(path.dirname(copy), { recursive: true })
    writeFileSync(copy, text.replaceAll(relativeImport, '$1$2.js$3'))
  }
}
