/** eval --isolate: every golden test starts from a snapshot of the vault that never changes. */
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { InputFile, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { copyWalk, pathExists, walk } from '../../../base/fs/files.ts'
import { tempSiblingName } from '../../../base/fs/temp_sibling.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { readVault, type Vault } from '../../../phases/1-plan/formats/golden/vault.ts'

/**
 * Copies the suite's vaults below the workspace by content, so the same vault is copied once. A test with a folder
 * evals/snapshots/<test_id>/ starts from that; its persona/, if any, replaces the agent's.
 */
export async function isolateVaults(suite: Suite, workspace: string): Promise<Suite> {
  if (suite.format !== 'golden' || suite.root === undefined) return suite
  const { root } = suite
  const copies = new Map<string, Promise<InputFile[]>>()
  const frozen = (files: readonly InputFile[]) => {
    const name = sha256(canonicalJson(files.map(({ path: at, sha256: content }) => ({ at, content }))))
    const copy = copies.get(name) ?? freeze(files, path.join(workspace, '.cache/vaults', name))
    copies.set(name, copy)
    return copy
  }
  const cases: SuiteCase[] = []
  for (const one of suite.cases) {
    const place = path.join(root, 'evals/snapshots', one.eval_key ?? one.eval_name)
    const own = (await pathExists(place)) ? await readVault(place) : null
    cases.push({ ...one, ...(await readIdentity(place, own)), files: await frozen(own?.files ?? one.files) })
  }
  return { ...suite, cases }
}

async function readIdentity(place: string, own: Vault | null): Promise<Pick<SuiteCase, 'environment'>> {
  return own !== null && (await pathExists(path.join(place, 'persona'))) ? { environment: own.environment } : {}
}

/** Copies to a temporary sibling, then renames, so that a partial copy is never used. */
async function freeze(files: readonly InputFile[], folder: string): Promise<InputFile[]> {
  if (!(await pathExists(folder))) {
    const partial = tempSiblingName(folder)
    await mkdir(partial, { recursive: true })
    for (const { path: name, source } of files) {
      const target = path.join(partial, name)
      if ((await stat(source)).isFile()) await copyFile(source, target)
      else await copyWalk((await walk(source, { unreadable: 'leave_out' })).files, target)
    }
    await rename(partial, folder).catch(() => rm(partial, { recursive: true, force: true }))
  }
  return files.map((file) => ({ ...file, source: path.join(folder, file.path) }))
}
