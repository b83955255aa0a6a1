/** Reads the files that checks name when the suite loads, so that gradings use their content at that time. */
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Check } from '../../../../schemas/check.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { isInsideFolder } from '../../../base/fs/inside_folder.ts'
import { parseJson, readText } from '../../../base/json/json.ts'

const mostBytes = 4_000_000

/** Returns the check with the content in place of the file, or a `mistake`. `root` is the skill's folder. */
export async function resolveCheckFile(check: Check, root: string): Promise<{ check: Check } | { mistake: string }> {
  try {
    switch (check.type) {
      case 'similarity': {
        const { file, ...rest } = check
        if (file === undefined) return { check }
        const value = await readCheckFileText(file, root)
        return value.trim() === '' ? { mistake: `${file} is empty` } : { check: { ...rest, value } }
      }
      case 'json_schema': {
        const { file, ...rest } = check
        if (file === undefined) return { check }
        const schema = parseJson(await readCheckFileText(file, root), file)
        return isSchema(schema) ? { check: { ...rest, schema } } : { mistake: `${file} contains no JSON Schema` }
      }
      default:
        return { check }
    }
  } catch (error) {
    return { mistake: errorMessage(error) }
  }
}

type Schema = Extract<Check, { type: 'json_schema' }>['schema']

function isSchema(value: unknown): value is NonNullable<Schema> {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

async function readCheckFileText(file: string, root: string): Promise<string> {
  const real = await realpath(path.resolve(root, file)).catch(() => null)
  if (real === null) throw new Error(`${file}: no such file in the skill's folder`)
  const places = [root, ...(/^evals\//.test(file) ? [path.join(root, 'evals')] : [])] // evals may be a link
  const isInside = places.some((place) => isInsideFolder(place, real))
  if (path.isAbsolute(file) || !isInside) throw new Error(`${file} leads out of the skill's folder`)
  const info = await stat(real)
  if (!info.isFile()) throw new Error(`${file} is not a file`)
  if (info.size > mostBytes) throw new Error(`${file} is larger than ${mostBytes} bytes`)
  return await readText(real)
}
