// Whether the server's log, the disk and an undisturbed benchmark agree.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { names, runsOnDisk, runsPlanned } from './stage.mjs'

/** Complaints; none: all is well. `before`: runs in place after the kill; `first`, `second`: requests before and after; `temporary`: null where nothing ran after the kill that could clear. */
export function complaints({ folders, before, first, second, expected, temporary }) {
  if (folders.length !== 1) return [`${folders.length} benchmarks instead of one`]
  const [folder] = folders
  const after = runsOnDisk(folder)
  const all = [...first, ...second].map(({ run }) => run)
  const found = []
  const say = (holds, text) => holds || found.push(text)
  say(after.size === runsPlanned, `${after.size} runs on disk instead of ${runsPlanned}`)
  say(new Set([...after.values()].map(({ made }) => made)).size === after.size, 'two runs of one answer')
  say(
    second.length === runsPlanned - before.size,
    `${second.length} asked again, ${runsPlanned - before.size} were missing`,
  )
  for (const [run, { made, started, at }] of after) {
    const old = before.get(run)
    const times = (old === undefined ? second.map((one) => one.run) : all).filter((one) => one === made).length
    say(times === 1, `${run} (${made}) was asked ${times} times`)
    say(old === undefined || (old.made === made && old.started === started), `${run} was finished and is another now`)
    say(
      ['transcript.jsonl', 'timing.json', 'grading.json', 'outputs/metrics.json'].every((name) =>
        isWhole(path.join(at, name)),
      ),
      `${run} is not whole`,
    )
  }
  for (const run of before.keys()) say(after.has(run), `${run} was finished and is gone`)
  if (temporary !== null) {
    say(
      names(folder).every((name) => !name.startsWith('.lease') && name !== '.partial'),
      'something is left behind',
    )
    say(names(temporary).length === 0, `rooms are left behind: ${names(temporary).join(', ')}`)
  }
  const made = upToTiming(folder)
  say(made === expected, `benchmark.json is another than undisturbed: ${difference(made, expected)}`)
  return found
}

/** What stands around the first character that differs. */
function difference(made, expected) {
  const at = [...made].findIndex((character, index) => character !== expected[index])
  const around = (text) => text.slice(Math.max(0, at - 80), at + 80)
  return `…${around(made)}… instead of …${around(expected)}…`
}

function isWhole(file) {
  if (!existsSync(file)) return false
  const text = readFileSync(file, 'utf8')
  if (!text.endsWith('\n')) return false
  try {
    for (const part of file.endsWith('l') ? text.trimEnd().split('\n') : [text]) JSON.parse(part)
    return true
  } catch {
    return false
  }
}

/** benchmark.json without moments, durations and the numbers of conversations, as text. */
export function upToTiming(folder) {
  const text = readFileSync(path.join(folder, 'benchmark.json'), 'utf8')
  return JSON.stringify(JSON.parse(text), (key, value) => {
    if (/time|seconds|duration/.test(key)) return undefined
    if (key === 'notes') return value.filter((note) => !/runs take .*× the time/.test(note)) // one of 20 benchmarks has it by chance
    if (typeof value !== 'string') return value
    return /\d(\.\d+)?s\b/.test(value) ? undefined : value.replaceAll(/(TIDY|messy) \d+/g, '$1')
  })
}

export function isComplete(folder) {
  const file = path.join(folder, 'benchmark.json')
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).complete === true
}
