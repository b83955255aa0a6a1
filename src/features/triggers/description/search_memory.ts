/** Stores a search's settings and proposals in its folder, so that it can resume. */
import path from 'node:path'
import {
  type Description,
  type DescriptionSearch,
  description as descriptionSchema,
  descriptionSearch,
} from '../../../../schemas/description.ts'
import { UserError } from '../../../base/errors/error.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { refuseChangedSettings } from '../../../flows/workspace/changed_settings.ts'
import { reportForeignResults } from '../../../flows/workspace/foreign_results.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { isSignedFile, writeSigned } from '../../../store/signing/signed_files.ts'
import { findSigner } from '../../../store/signing/signer.ts'
import { createBenchmark, listBenchmarks } from '../../../store/store.ts'

type Proposal = DescriptionSearch['proposals'][number]

export interface SearchMemory {
  /** The search's, absolute. */
  folder: string
  /** The proposal of a round (from 1): the stored one, else a new one, which is stored. */
  proposal: (round: number, make: () => Promise<Proposal>) => Promise<Proposal>
  /** All proposals so far. */
  proposals: () => readonly Proposal[]
}

export const descriptionFilePath = (folder: string) => path.join(folder, 'description.json')

/** The workspace's newest search of this user, with its result if it has ended. Throws UserError where there is none. */
export async function findNewestSearch(
  workspace: string,
  context: Pick<FlowContext, 'env' | 'emit'>,
): Promise<{ folder: string; ended: Description | null }> {
  for (const folder of await listBenchmarks(workspace, 'descriptions')) {
    const ended = tryReadArtefact(descriptionSchema, descriptionFilePath(folder))
    if (ended === null && readSearch(folder) === null) continue
    const file = ended === null ? searchFilePath(folder) : descriptionFilePath(folder)
    if (isSignedFile(file, findSigner(context.env))) return { folder, ended }
    reportForeignResults({ place: file, what: 'a search' }, context)
  }
  throw new UserError(`${workspace}: no search to resume`, 'remove --resume')
}

/** A new folder, or the one to resume. Throws UserError if its settings differ. */
export async function openSearchMemory(
  { workspace, before, asked }: { workspace: string; before: string | null; asked: Record<string, unknown> },
  context: FlowContext,
): Promise<SearchMemory> {
  const known = before === null ? null : readSearch(before)
  if (known !== null) refuseChangedSettings('search', known.asked, asked)
  const folder = before ?? (await createBenchmark(workspace, context.now(), 'descriptions'))
  const proposals: Proposal[] = [...(known?.proposals ?? [])]
  const signed = { file: searchFilePath(folder) }
  const keep = () =>
    writeSigned(descriptionSearch, signed, {
      value: { schema_version: 1, asked, proposals },
      signer: findSigner(context.env),
    })
  await keep()
  return {
    folder,
    proposals: () => proposals,
    async proposal(round, make) {
      const made = proposals[round - 1]
      if (made !== undefined) return made
      context.drain.throwIfAborted()
      const found = await make()
      proposals.push(found)
      await keep()
      return found
    },
  }
}

const searchFilePath = (folder: string) => path.join(folder, 'search.json')

function readSearch(folder: string): DescriptionSearch | null {
  return tryReadArtefact(descriptionSearch, searchFilePath(folder))
}
