/** Finds mistakes in checks that the schema cannot see before any run costs money: patterns, queries, schemas and paths. */
import { posix } from 'node:path'
import { jsonpath } from 'json-p3'
import { type Check, isAnswerCheck } from '../../../../schemas/check.ts'
import type { CallParameters } from '../../../../schemas/checks/tool_calls.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { isIgnoredPath } from '../../../base/fs/ignored_folders.ts'
import { findSchemaMistake } from '../../../base/json/json_schema.ts'
import { toFunctionBody } from '../../../base/text/function_body.ts'

export interface CheckMistake {
  field: string
  message: string
}

/** Returns every mistake in the parameters of one check. Read its files first. */
export async function findCheckMistakes(check: Check): Promise<CheckMistake[]> {
  const { schema } = check.type === 'json_schema' ? check : {}
  const message = schema === undefined ? null : await findSchemaMistake(schema)
  return [...findPlainMistakes(check), ...(message === null ? [] : [{ field: 'schema', message }])]
}

/** Mistakes that can be found without loading a module. */
export function findPlainMistakes(check: Check): CheckMistake[] {
  const found: [string, string | null][] = [
    ['path', 'path' in check && check.path !== undefined ? pathMistake(check.path) : null],
    ['turn', 'turn' in check && check.turn !== undefined && !isAnswerCheck(check) ? ofAnswers : null],
    ...ownMistakes(check),
  ]
  return found.flatMap(([field, message]) => (message === null ? [] : [{ field, message }]))
}

const ofAnswers = 'only for a check of the answer: remove "path" or "target"'

function ownMistakes(check: Check): [string, string | null][] {
  switch (check.type) {
    case 'regex':
      return [['pattern', patternMistake(check.pattern, check.flags)]]
    case 'tool_used':
    case 'tool_not_used':
    case 'tool_calls_at_most':
      return inputMistakes(check)
    case 'tool_order':
      return check.tools.flatMap((tool, index) =>
        typeof tool === 'string'
          ? []
          : inputMistakes(tool).map(([field, message]): [string, string | null] => [
              `tools[${index}].${field}`,
              message,
            ]),
      )
    case 'javascript': {
      const isCode = check.code === undefined || toFunctionBody(check.code) !== null
      return [['code', isCode ? null : 'is not JavaScript']]
    }
    case 'program_called':
      return [['args', check.args === undefined ? null : patternMistake(check.args)]]
    case 'json_path':
      return [['query', queryMistake(check.query)]]
    case 'script_executed':
      return [['script', check.script === undefined ? null : pathMistake(check.script, "the skill's folder")]]
    case 'file_absent':
    case 'file_modified':
    case 'file_hash':
    case 'file_count':
    case 'file_size':
      return [['path', isIgnoredPath(posix.normalize(check.path)) ? notCollected(check.path) : null]]
    default:
      return []
  }
}

function inputMistakes({ input, input_json }: Pick<CallParameters, 'input' | 'input_json'>): [string, string | null][] {
  return [
    ['input', input === undefined ? null : patternMistake(input)],
    ['input_json', input_json === undefined ? null : patternMistake(input_json)],
  ]
}

function notCollected(wanted: string): string {
  return `${wanted} is in a folder that is not collected, so its content would be unknown`
}

function queryMistake(query: string): string | null {
  try {
    jsonpath.compile(query)
    return null
  } catch (error) {
    return `not a JSONPath query (RFC 9535): ${errorMessage(error)}`
  }
}

function pathMistake(wanted: string, folder = 'the working folder'): string | null {
  const plain = posix.normalize(wanted)
  const leaves = posix.isAbsolute(plain) || plain === '..' || plain.startsWith('../')
  return leaves ? `${wanted} leads out of ${folder}; paths of outputs are relative to it` : null
}

/** Why a pattern is not a JavaScript regular expression; null: it is one. */
export function patternMistake(pattern: string, flags = ''): string | null {
  try {
    new RegExp(pattern, flags)
    return null
  } catch (error) {
    return errorMessage(error)
  }
}
