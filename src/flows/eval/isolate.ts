/** eval --isolate: every golden test starts from a snapshot of the vault that nothing changes any more. */
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { InputFile, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { nameBeside } from '../../base/beside.ts'
import { copyWalk, exists, walk } from '../../base/files.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'
import { readVault, type Vault } from '../../phases/1-plan/formats/golden/vault.ts'

/**
 * The suite with its vaults copied below the workspace, by content: the same vault is copied once. A test with a folder
 * evals/snapshots/<test_id>/ starts from that; who the agent is comes from there too where it has a persona/.
 */
export async function isolated(suite: Suite, workspace: string): Promise<Suite> {
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
    const own = (await exists(place)) ? await readVault(place) : null
    cases.push({ ...one, ...(await identityIn(place, own)), files: await frozen(own?.files ?? one.files) })
  }
  return { ...suite, cases }
}

async function identityIn(place: string, own: Vault | null): Promise<Pick<SuiteCase, 'environment'>> {
  return own !== null && (await exists(path.join(place, 'persona'))) ? { environment: own.environment } : {}
}

/** Made apart and put in place by one rename: half a copy is never taken for one. */
async function freeze(files: readonly InputFile[], folder: string): Promise<InputFile[]> {
  if (!(await exists(folder))) {
    const partial = nameBeside(folder)
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
