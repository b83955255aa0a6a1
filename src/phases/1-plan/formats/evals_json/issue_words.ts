/** Rewords the parser's messages about Whetstone's own fields. */
import type * as z from 'zod'
import { describeJsonKind } from './document.ts'

type Issue = z.core.$ZodIssue

/** `value`: the value at the issue's path; undefined: missing. */
export function issueWords(issue: Issue, value: unknown): string {
  return parsers.test(issue.message) ? (ownWords(issue, value) ?? issue.message) : issue.message
}

const parsers = /^(?:Invalid |Too small|Too big|Unrecognized key)/

function ownWords(issue: Issue, value: unknown): string | null {
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = kinds[issue.expected] ?? issue.expected
      return value === undefined
        ? `is missing; it must be ${wanted}`
        : `must be ${wanted}, not ${formatIssueValue(value)}`
    }
    case 'invalid_value': {
      const allowed = issue.values.map((one) => JSON.stringify(one)).join(', ')
      return issue.values.length === 1 ? `must be ${allowed}` : `must be one of ${allowed}`
    }
    case 'unrecognized_keys':
      return `has no field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
    case 'too_small':
      if (issue.origin === 'string' || issue.origin === 'array')
        return issue.minimum === 1
          ? 'must not be empty'
          : `must have at least ${issue.minimum}${nameParts(issue.origin)}`
      return issue.inclusive === false ? `must be above ${issue.minimum}` : `must be at least ${issue.minimum}`
    case 'too_big':
      if (issue.origin === 'string' || issue.origin === 'array')
        return `must have at most ${issue.maximum}${nameParts(issue.origin)}`
      return issue.inclusive === false ? `must be below ${issue.maximum}` : `must be at most ${issue.maximum}`
    default:
      return null
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function formatIssueValue(value: unknown): string {
  return typeof value === 'number' ? String(value) : describeJsonKind(value)
}

function nameParts(origin: string): string {
  return origin === 'string' ? ' characters' : ' items'
}

/** The value at the path of an issue; undefined: missing. */
export function lookUpValue(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null) return undefined
    return Object.entries(inner).find(([name]) => name === String(key))?.[1]
  }, value)
}
