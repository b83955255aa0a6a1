/** Reads the skill's text in each version of the improve loop, each text once. */
import path from 'node:path'
import type { PageVersions } from '../../../../schemas/page.ts'
import { readOutputs } from '../read_outputs.ts'

/** null: no version's folder exists. `names`: of the versions, oldest first. */
export function readPageVersions(workspace: string, names: readonly string[]): PageVersions | null {
  const versions: PageVersions['versions'] = {}
  const texts: PageVersions['texts'] = {}
  for (const name of names) {
    // a history may contain any name: only plain folder names may reach versions/
    if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name)) continue
    const files = readOutputs(path.join(workspace, 'versions', name))
    if (files.length === 0) continue
    versions[name] = files.map(({ path: file, bytes, sha256, as, body, left_out }) => {
      const isWhole = as === 'text' && sha256 !== null && left_out === null
      if (isWhole) texts[sha256] = body
      return { path: file, bytes, sha256, text: isWhole }
    })
  }
  return Object.keys(versions).length === 0 ? null : { versions, texts }
}
