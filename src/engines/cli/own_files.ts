/** Replaces files in an agent's home between two of its processes: by then the agent may have put links there, and they may lead anywhere. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isPlainFolder } from '../../base/fs/inside_folder.ts'

/** Replaces a file below the home, whose folder is there. A text: why it can't, and so the session can't be continued. */
export function replaceOwnFile(home: string, file: string, text: string): string | null {
  const folder = path.dirname(file)
  if (!isPlainFolder(home, folder)) return `the agent has replaced a folder of its settings: ${folder}`
  rmSync(file, { force: true, recursive: true })
  writeFileSync(file, text, { flag: 'wx' })
  return null
}
