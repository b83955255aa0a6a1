/** Compares the end of a process with what a test expects. Pure. */
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'

export interface ProcessOutcome {
  /** null: it was terminated. */
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface ExpectedProcess {
  exitCode: number | null
  stdoutContains: readonly string[]
  stderrContains: readonly string[]
  /** Must be in neither stdout nor stderr. */
  notContains: readonly string[]
  /** Expected part of stdout's JSON; undefined: not checked. */
  stdoutJson: unknown
}

/** A sentence for each failed expectation; empty: none failed. Case matters. */
export function listProcessFailures(expected: ExpectedProcess, { exitCode, stdout, stderr }: ProcessOutcome): string[] {
  const { stdoutContains, stderrContains, notContains, stdoutJson } = expected
  const lacks = (what: string, text: string) => (one: string) =>
    text.includes(one)
      ? []
      : [`${what} does not contain ${quoteStream(one)}; it is ${quoteStream(text.trim() || 'nothing')}`]
  const holds = (one: string) => [
    ...(stdout.includes(one) ? [`stdout holds ${quoteStream(one)}`] : []),
    ...(stderr.includes(one) ? [`stderr holds ${quoteStream(one)}`] : []),
  ]
  return [
    ...(expected.exitCode === null || expected.exitCode === exitCode
      ? []
      : [`exit code ${exitCode ?? 'none'} instead of ${expected.exitCode}${quoteStderr(stderr)}`]),
    ...stdoutContains.flatMap(lacks('stdout', stdout)),
    ...stderrContains.flatMap(lacks('stderr', stderr)),
    ...notContains.flatMap(holds),
    ...(stdoutJson === undefined ? [] : jsonFailures(stdoutJson, stdout)),
  ]
}

function quoteStderr(stderr: string): string {
  const text = stderr.trim()
  return text === '' ? '' : `; stderr says ${quoteStream(text)}`
}

function quoteStream(text: string): string {
  const flat = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
  return flat
}

/** All of stdout as JSON, or else its last line. */
function jsonFailures(expected: unknown, stdout: string): string[] {
  const texts = [stdout.trim(), stdout.trim().split('\n').at(-1) ?? '']
  for (const text of texts) {
    const parsed = tryParseJson(text)
    if (parsed !== undefined) return differences(expected, parsed, '$')
  }
  return [`stdout is not JSON: ${quoteStream(stdout.trim() || 'nothing')}`]
}

const object = z.record(z.string(), z.unknown())

/** Objects may have additional fields at any depth; lists must have the expected length. */
function differences(expected: unknown, found: unknown, at: string): string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) return [`stdout-json ${at}: ${formatJsonValue(found)} is not a list`]
    if (found.length !== expected.length)
      return [`stdout-json ${at}: ${found.length} items instead of ${expected.length}`]
    return expected.flatMap((one, index) => differences(one, found[index], `${at}[${index}]`))
  }
  const wanted = object.safeParse(expected)
  if (!wanted.success)
    return Object.is(expected, found)
      ? []
      : [`stdout-json ${at}: ${formatJsonValue(found)} instead of ${formatJsonValue(expected)}`]
  const given = object.safeParse(found)
  if (!given.success || Array.isArray(found)) return [`stdout-json ${at}: ${formatJsonValue(found)} is not an object`]
  return Object.entries(wanted.data).flatMap(([key, one]) => differences(one, given.data[key], `${at}.${key}`))
}

function formatJsonValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
