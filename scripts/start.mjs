// Becomes dist/program/main.js: starts the bundled program with what V8 compiled of it when it was built. Any other Node, and a V8 with other flags, starts its modules.
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

const file = fileURLToPath(new URL('./program.cjs', import.meta.url))

/** It is ASCII. null: it is not there, as in the package that is published. */
function textOf() {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return null
  }
}

/** Bytes before what was compiled. */
const stampBytes = 2048

/**
 * For which Node and which program something was compiled. V8 itself looks at its own version, which many Nodes share, and at the length of
 * the text only: with another Node's it dies, with another text's it runs what is no more. The text ends with the number of its build.
 */
function stampOf(text) {
  const { version, versions, platform, arch, execPath } = process
  const { size, mtimeMs } = statSync(execPath) // with V8 in a library of its own the size says nothing
  const of = [text.slice(-80), version, platform, arch, size, mtimeMs, versions]
  return Buffer.from(JSON.stringify(of).padEnd(stampBytes))
}

/** null: there is nothing for this Node and this program. */
function compiledBefore(text) {
  try {
    const stamp = stampOf(text)
    const kept = readFileSync(new URL('./program.cache', import.meta.url))
    return kept.subarray(0, stamp.length).equals(stamp) ? kept.subarray(stamp.length) : null
  } catch {
    return null
  }
}

function compile(text, cachedData) {
  return new Script(text, {
    filename: 'whetstone/program.cjs', // kept with what is compiled, so the same wherever it lies
    cachedData,
  })
}

function runOf(script) {
  const own = { exports: {} }
  script.runInThisContext()(own.exports, createRequire(file), own, file, (name) => import(name))
  return own.exports
}

/** For who builds it: has what is to lie there after `work`, which gets the program's main. */
export async function compiledBy(work) {
  const text = textOf()
  const script = compile(text)
  await work(runOf(script).main)
  return Buffer.concat([stampOf(text), script.createCachedData()])
}

/** A command that works through a queue lives long, and holds very many runs: it needs the memory more than an early start. */
const livesLong = process.argv[2] === 'queue' || process.argv.some((word) => /^--queue(=|$)/.test(word))

function startBefore() {
  const text = livesLong ? null : textOf()
  const before = text === null ? null : compiledBefore(text)
  return before === null ? null : compile(text, before)
}

const script = startBefore()

/** For tests: what V8 says of what was compiled; null where nothing lay there for this Node and this program. */
export const isRefused = script?.cachedDataRejected ?? null
export const { main } =
  script === null || isRefused ? await import(new URL('./modules.js', import.meta.url).href) : runOf(script)
