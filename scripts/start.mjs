// Becomes dist/program/main.js: starts the bundled program with what V8 compiled of it when it was built. Any other Node, and a V8 with other flags, compiles the program anew.
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

const file = fileURLToPath(new URL('./program.cjs', import.meta.url))
const text = readFileSync(file, 'latin1') // it is ASCII

/** Bytes before what was compiled. */
const stampBytes = 2048

/**
 * For which Node and which program something was compiled. V8 itself looks at its own version, which many Nodes share, and at the length of
 * the text only: with another Node's it dies, with another text's it runs what is no more. The text ends with the number of its build.
 */
function stampOf() {
  const { version, versions, platform, arch, execPath } = process
  const of = [text.slice(-80), version, platform, arch, statSync(execPath).size, versions]
  return Buffer.from(JSON.stringify(of).padEnd(stampBytes))
}

function compiledBefore(stamp) {
  try {
    const kept = readFileSync(new URL('./program.cache', import.meta.url))
    return kept.subarray(0, stamp.length).equals(stamp) ? kept.subarray(stamp.length) : undefined
  } catch {
    return undefined
  }
}

const stamp = stampOf()
const parameters = 'exports,require,module,__filename,programImport'
const script = new Script(`(function(${parameters}){"use strict";${text}\n})`, {
  filename: 'whetstone/program.cjs', // kept with what is compiled, so the same wherever it lies
  cachedData: compiledBefore(stamp),
})

/** For tests: undefined where nothing that was compiled for this Node and this program lay there. */
export const isRefused = script.cachedDataRejected

/** For who builds it: what is to lie there. */
export const compiled = () => Buffer.concat([stamp, script.createCachedData()])

const own = { exports: {} }
script.runInThisContext()(own.exports, createRequire(file), own, file, (name) => import(name))
export const { main } = own.exports
