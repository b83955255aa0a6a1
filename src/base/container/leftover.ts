/** Notes in a temp directory which container belongs to it, so that a later start removes the container of a killed run. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { clientEnvironment, openFilesWords, removeWords } from './container_words.ts'

const noteName = 'container'
const notePattern = /^(docker|podman) (whetstone-[0-9a-f]{24})\n$/

/** Call before the container starts. */
export function noteContainer(temp: string, engine: string, name: string): void {
  writeFileSync(path.join(temp, noteName), `${engine} ${name}\n`)
}

/** Milliseconds that an engine gets to remove a container. */
const removalMs = 30_000

/** Removes the container that the folder's note names, if any. Synchronous, because the program may be about to end. */
export function removeNotedContainer(folder: string, user: NodeJS.ProcessEnv = process.env): void {
  const [, engine, name] = notePattern.exec(readNote(folder)) ?? []
  if (engine === undefined || name === undefined) return
  const env = clientEnvironment(user)
  for (const words of [openFilesWords(name, path.join(folder, 'world')), removeWords(name)])
    spawnSync(engine, words, { env, stdio: 'ignore', timeout: removalMs })
}

function readNote(folder: string): string {
  try {
    return readFileSync(path.join(folder, noteName), 'utf8')
  } catch {
    return ''
  }
}
