/** A new folder whose name may be taken already. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'

/** Creates a folder of that name; if it exists, adds -2, -3, … */
export async function createNumberedFolder(base: string): Promise<string> {
  await mkdir(path.dirname(base), { recursive: true })
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? base : `${base}-${number}`
    if (existsSync(folder)) continue
    await mkdir(folder)
    return folder
  }
}
