// Becomes dist/program/main.js: starts the bundled program with what V8 compiled of it when it was built. A V8 that has no use for that (another Node, other flags) compiles the program anew.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

const file = fileURLToPath(new URL('./program.cjs', import.meta.url))

/** `cachedData`: what was compiled before, if there is any. It holds the name of the file, which is the same wherever that lies. */
function compile(cachedData) {
  const text = readFileSync(file, 'latin1') // it is ASCII
  const parameters = 'exports,require,module,__filename,programImport'
  return new Script(`(function(${parameters}){${text}\n})`, { filename: 'whetstone/program.cjs', cachedData })
}

function compiledBefore() {
  try {
    return readFileSync(new URL('./program.cache', import.meta.url))
  } catch {
    return undefined
  }
}

/** For who builds it, and for tests: what of it is compiled. */
export const script = compile(compiledBefore())
const own = { exports: {} }
script.runInThisContext()(own.exports, createRequire(file), own, file, (name) => import(name))
export const { main } = own.exports
