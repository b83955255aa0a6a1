/** Finds a program as a shell does: a path is used as it is, a name is looked up in the folders of PATH. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'

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
