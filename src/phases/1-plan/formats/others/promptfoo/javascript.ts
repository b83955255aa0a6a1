/** Reads assertions of promptfoo that are JavaScript: an expression, the body of a function, or a function in a file. */
import path from 'node:path'
import { isJsonObject, readNonEmptyText } from '../../evals_json/fields.ts'
import { readNamedFile } from '../named_text.ts'
import type { OwnCheck } from '../other_suite.ts'
import { fillTemplate } from './prompt.ts'
import type { AssertionPlace } from './tests.ts'

interface Marked {
  marks: { weight?: number }
  at: string
}

/** What only promptfoo can give. */
const onlyThere = /\bproviderResponse\b|\bcontext\??\.(?:provider|trace|logProbs|metadata)\b/
const ownModule = /\b(?:require|import)\(\s*['"`]\.|\bprocess\.mainModule\b/

export async function readJavascript(
  rest: Record<string, unknown>,
  { marks, at }: Marked,
  { vars, base, notes }: AssertionPlace,
): Promise<OwnCheck[]> {
  const lose = (why: string): OwnCheck[] => {
    notes.warn(at, `the assertion of type "javascript" is not read: ${why}`)
    return []
  }
  const value = readNonEmptyText(rest.value)
  if (value === null) return lose('its value is not code')
  const { threshold, config } = rest
  const own = {
    type: 'javascript',
    ...(Object.keys(vars).length > 0 && { vars }),
    ...(isJsonObject(config) && { config }),
    ...(typeof threshold === 'number' && { pass_at: threshold }),
    ...marks,
  }
  const file = /^file:\/\/(.*?\.(?:[cm]?js|m?ts))(?::(\w+))?$/.exec(value)
  if (file === null && value.startsWith('file://')) return lose('its file is not JavaScript')
  const code = value.includes('{{') ? String(fillTemplate(value, vars, notes) ?? '') : value
  const script = path.posix.normalize(file?.[1] ?? '')
  const text = file === null ? code : await readNamedFile(script, base)
  if (text === null) return lose(`its file ${script} is not in the folder of the suite`)
  if (onlyThere.test(text)) return lose('it reads what only promptfoo records, such as context.providerResponse')
  if (file === null && ownModule.test(text)) return lose('it loads a module by its path: put the function into a file')
  if (file === null) return [{ own: { ...own, code } }]
  const folder = path.posix.dirname(script)
  return [
    { own: { ...own, script, ...(file[2] && { function: file[2] }), ...(folder !== '.' && { files: [folder] }) } },
  ]
}
