/** Builds the environment of a check's program: no earlier check and no file of the agent can choose what it loads. */
import { readFileSync } from 'node:fs'
import { cp, lstat, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathExists } from '../../../../base/fs/files.ts'
import { runMark } from '../../../../base/process/process_marks.ts'
import type { CheckFolders } from '../inputs/working_folder.ts'
import { clearPlace } from './grading_files.ts'

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
  const parent = path.dirname(place.own)
  const [home, python] = [path.join(parent, 'home'), path.join(parent, 'python')]
  await mkdir(home)
  await mkdir(python)
  await writeFile(path.join(python, 'sitecustomize.py'), pathOrder)
  const { HOME: runHome, PATH: programs = '', PYTHONPATH: modules } = env
  if (runHome !== undefined && (await pathExists(runHome))) await cp(runHome, home, { recursive: true, ...plainCopy })
  await keepPathOrder(home, path.join(python, 'sitecustomize.py'))
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

/** Loads the file in each python3 also where a command sets PYTHONPATH: python3 reads the user's own packages before any other. */
async function keepPathOrder(home: string, file: string): Promise<void> {
  const line = `import sys; exec(open(${JSON.stringify(file)}, encoding="utf-8").read(), {"__name__": "order"})\n`
  for (let minor = 6; minor <= 20; minor++) {
    const place = `.local/lib/python3.${minor}/site-packages/whetstone.pth`
    await clearPlace(home, place)
    await writeFile(path.join(home, place), line)
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
