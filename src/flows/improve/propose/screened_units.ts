/** What a proposer learns from an earlier `prune` of the same skill: what each unit changes and costs on training cases, never on others. */
import path from 'node:path'
import { type Prune, pruneReport } from '../../../../schemas/prune.ts'
import { listEntries } from '../../../base/fs/files.ts'
import { formatPoints, hundredths } from '../../../phases/4-report/text/format.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { prunesFolder } from '../../../store/paths.ts'
import { isSignedFile } from '../../../store/signing/signed_files.ts'
import type { ResultSigner } from '../../../store/signing/signer.ts'

const most = 40
const lineChars = 200

/** One line a unit, of the newest screening of this skill whose cases are all in `train`; empty: there is none. */
export function describeScreenedUnits(
  workspace: string,
  { sha256, train, signer }: { sha256: string; train: readonly number[]; signer: ResultSigner },
): string[] {
  const folder = prunesFolder(workspace)
  const found = listEntries(folder).flatMap(({ name }) => {
    const file = path.join(folder, name, 'prune.json')
    const one = isSignedFile(file, signer) ? tryReadArtefact(pruneReport, file) : null
    const isSeen = one?.split.train.every((id) => train.includes(id)) === true
    return one !== null && one.screening !== null && one.skill_sha256 === sha256 && isSeen ? [one] : []
  })
  const [newest] = found.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  return newest === undefined ? [] : describeUnits(newest)
}

function describeUnits({ screening, units }: Prune): string[] {
  const screened = [...(screening?.units ?? [])].sort((a, b) => b.effect.mean - a.effect.mean)
  return screened.slice(0, most).map(({ id, effect, tokens }) => {
    const unit = units.find((one) => one.id === id)
    const range = `95% CI ${hundredths(effect.ci_low)} to ${hundredths(effect.ci_high)}`
    const cost = tokens === null ? '' : `, ${Math.round(tokens.mean)} tokens a run`
    return `${unit?.kind ?? 'unit'} "${unit?.label ?? id}": ${formatPoints(effect.mean)} (${range})${cost}`.slice(
      0,
      lineChars,
    )
  })
}
