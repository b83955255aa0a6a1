/** Finds a program as a shell does, and the programs that a shell script starts, such as a CLI's script and the newer Node that it needs. */
import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'
import { openRegularFile } from '../../base/fs/special_files.ts'

/** The absolute path of an executable file; null if there is none. */
export async function findProgram(program: string, searchPath: string): Promise<string | null> {
  if (program.includes('/')) return (await isExecutable(program)) ? path.resolve(program) : null
  for (const folder of searchPath.split(path.delimiter)) {
    const file = path.join(folder, program)
    if (folder !== '' && (await isExecutable(file))) return file
  }
  return null
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** A longer file is not a script that only starts another program. */
const longestScript = 64 * 1024

/** The files that a shell script names by absolute paths; none if `program` is not a shell script. */
export async function findWrappedPrograms(program: string): Promise<string[]> {
  const text = readScript(program)
  if (text === null || !/^#!.*\b(?:sh|bash|dash|zsh)\b/.test(text)) return []
  const [, ...lines] = text.split('\n')
  const named = [...new Set(lines.join('\n').match(/(?<![\w$}./~-])\/[^\s'"`$;&|<>(){}]+/g) ?? [])]
  const found = await Promise.all(named.map(async (file) => ((await isFile(file)) ? [file] : [])))
  return found.flat()
}

function readScript(file: string): string | null {
  const handle = openRegularFile(file)
  if (handle === null) return null
  try {
    return fstatSync(handle).size > longestScript ? null : readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (info) => info.isFile(),
    () => false,
  )
}
