/** Builds the environment of a check's program: no earlier check and no file of the agent can choose what it loads. */
import { readFileSync } from 'node:fs'
import { cp, lstat, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathExists } from '../../../../base/fs/files.ts'
import { runMark } from '../../../../base/process/process_marks.ts'
import type { CheckFolders } from '../inputs/working_folder.ts'

const pathOrder = readFileSync(new URL('./sitecustomize.py', import.meta.url), 'utf8')

export interface CheckEnvironment {
  env: Record<string, string>
  /** Folders outside of the working folder, absolute. */
  writable: string[]
  readable: string[]
}

/** Creates the check's home, a copy of the run's, and what python3 loads at its start. */
export async function openCheckEnvironment(
  env: Readonly<Record<string, string>>,
  place: CheckFolders,
): Promise<CheckEnvironment> {
  const room = path.dirname(place.own)
  const [home, python] = [path.join(room, 'home'), path.join(room, 'python')]
  await mkdir(home)
  await mkdir(python)
  await writeFile(path.join(python, 'sitecustomize.py'), pathOrder)
  const { HOME: runHome, PATH: programs = '', PYTHONPATH: modules } = env
  if (runHome !== undefined && (await pathExists(runHome))) await cp(runHome, home, { recursive: true, ...plainCopy })
  return {
    env: {
      ...(runHome === undefined ? env : moveHome(env, runHome, home)),
      [runMark]: place.mark,
      PATH: programs.split(path.delimiter).filter(path.isAbsolute).join(path.delimiter),
      PYTHONPATH: modules === undefined ? python : `${python}${path.delimiter}${modules}`,
      PYENV_DIR: place.own, // pyenv would look for .python-version in the working folder
      WHETSTONE_RUN_FOLDER: place.cwd,
      WHETSTONE_CHECK_FOLDER: place.own,
    },
    writable: [home],
    readable: [place.own, python, ...(runHome === undefined ? [] : [runHome])],
  }
}

const plainCopy = {
  verbatimSymlinks: true,
  filter: async (source: string) => {
    const found = await lstat(source)
    return found.isFile() || found.isDirectory() || found.isSymbolicLink()
  },
}

/** PATH keeps the run's home: the suite's programs there are read-only for the check. */
function moveHome(env: Readonly<Record<string, string>>, from: string, to: string): Record<string, string> {
  const moved = (value: string) =>
    value === from || value.startsWith(from + path.sep) ? to + value.slice(from.length) : value
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, moved(value)]))
}
