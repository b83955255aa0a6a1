/** Whether the end of a process is what a test expects. Pure. */
import { z } from 'zod'
import { jsonIn } from '../../base/json.ts'

export interface ProcessOutcome {
  /** null: it was ended. */
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface Expected {
  exitCode: number | null
  stdoutContains: readonly string[]
  stderrContains: readonly string[]
  notContains: readonly string[]
  /** undefined: not asked for. */
  stdoutJson: unknown
}

/** What does not hold, each as a sentence; empty: all of it does. Case counts. */
export function failuresOf(expected: Expected, { exitCode, stdout, stderr }: ProcessOutcome): string[] {
  const { stdoutContains, stderrContains, notContains, stdoutJson } = expected
  const lacks = (what: string, text: string) => (one: string) =>
    text.includes(one) ? [] : [`${what} lacks ${quoted(one)}; it says ${quoted(text.trim() || 'nothing')}`]
  const holds = (one: string) => [
    ...(stdout.includes(one) ? [`stdout holds ${quoted(one)}`] : []),
    ...(stderr.includes(one) ? [`stderr holds ${quoted(one)}`] : []),
  ]
  return [
    ...(expected.exitCode === null || expected.exitCode === exitCode
      ? []
      : [`exit code ${exitCode ?? 'none'} instead of ${expected.exitCode}${saidWhy(stderr)}`]),
    ...stdoutContains.flatMap(lacks('stdout', stdout)),
    ...stderrContains.flatMap(lacks('stderr', stderr)),
    ...notContains.flatMap(holds),
    ...(stdoutJson === undefined ? [] : jsonFailures(stdoutJson, stdout)),
  ]
}

function saidWhy(stderr: string): string {
  const text = stderr.trim()
  return text === '' ? '' : `; stderr says ${quoted(text)}`
}

function quoted(text: string): string {
  const flat = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
  return flat
}

/** All of stdout, else its last line. */
function jsonFailures(expected: unknown, stdout: string): string[] {
  const texts = [stdout.trim(), stdout.trim().split('\n').at(-1) ?? '']
  for (const text of texts) {
    const parsed = jsonIn(text)
    if (parsed !== undefined) return differences(expected, parsed, '$')
  }
  return [`stdout is not JSON: ${quoted(stdout.trim() || 'nothing')}`]
}

const object = z.record(z.string(), z.unknown())

/** Objects may have more than is expected, at any depth; lists are as long as expected. */
function differences(expected: unknown, found: unknown, at: string): string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) return [`stdout-json ${at}: ${shown(found)} is no list`]
    if (found.length !== expected.length)
      return [`stdout-json ${at}: ${found.length} items instead of ${expected.length}`]
    return expected.flatMap((one, index) => differences(one, found[index], `${at}[${index}]`))
  }
  const wanted = object.safeParse(expected)
  if (!wanted.success)
    return Object.is(expected, found) ? [] : [`stdout-json ${at}: ${shown(found)} instead of ${shown(expected)}`]
  const given = object.safeParse(found)
  if (!given.success || Array.isArray(found)) return [`stdout-json ${at}: ${shown(found)} is no object`]
  return Object.entries(wanted.data).flatMap(([key, one]) => differences(one, given.data[key], `${at}.${key}`))
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
