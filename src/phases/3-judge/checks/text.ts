/** A check as a sentence that a person reads. */
import type { Check, CheckOf } from '../../../../schemas/check.ts'

/** The author's own text, or one written from the parameters, such as: The final answer contains "42". */
export function checkText(check: Check): string {
  return check.text ?? written(check)
}

function written(check: Check): string {
  switch (check.type) {
    case 'contains':
      return `${place(check)} contains ${quoted(check.value)}`
    case 'not_contains':
      return check.target === 'outputs' && check.path === undefined
        ? `No output file contains ${quoted(check.value)}`
        : `${place(check)} does not contain ${quoted(check.value)}`
    case 'regex':
      return `${place(check)} matches /${check.pattern}/${check.flags ?? ''}`
    case 'file_exists':
      return `The file ${check.path} was made or changed`
    case 'json_path':
      return `${check.path ?? 'The final answer'} has ${check.query}${equalTo(check)}`
    case 'command':
      return `\`${check.run}\` ends with exit code ${check.exit_code ?? 0}`
    case 'agent_blocked': {
      const why = check.reason === undefined ? '' : ` because of ${quoted(check.reason)}`
      return `A hook blocked ${check.tool === undefined ? 'a call' : `a call of ${check.tool}`}${why}`
    }
  }
}

function place({ path, target = 'answer' }: Pick<CheckOf<'contains'>, 'path' | 'target'>): string {
  if (path !== undefined) return path
  switch (target) {
    case 'answer':
      return 'The final answer'
    case 'outputs':
      return 'An output file'
    case 'transcript':
      return 'The transcript'
  }
}

function equalTo({ equals }: CheckOf<'json_path'>): string {
  return equals === undefined ? '' : ` equal to ${JSON.stringify(equals)}`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
