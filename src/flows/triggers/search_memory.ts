/** What a search for a description keeps in its folder, so that it goes on after an interruption: what it was asked, and each proposal. */
import path from 'node:path'
import {
  type Description,
  type DescriptionSearch,
  description as descriptionSchema,
  descriptionSearch,
} from '../../../schemas/description.ts'
import { UserError } from '../../base/error.ts'
import { canonicalJson } from '../../base/json.ts'
import { readIf } from '../../store/damage.ts'
import { createBenchmark, listBenchmarks, writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../context.ts'

type Proposal = DescriptionSearch['proposals'][number]

export interface SearchMemory {
  /** Of the search, absolute. */
  folder: string
  /** The proposal of a round (from 1): as it was given before, else made now and kept. */
  proposal: (round: number, make: () => Promise<Proposal>) => Promise<Proposal>
  /** All so far. */
  proposals: () => readonly Proposal[]
}

export const fileOf = (folder: string) => path.join(folder, 'description.json')

/** The newest search of the workspace; its result, where it has ended. Throws UserError where there is none. */
export async function newestSearch(workspace: string): Promise<{ folder: string; ended: Description | null }> {
  for (const folder of await listBenchmarks(workspace, 'descriptions')) {
    const ended = readIf(descriptionSchema, fileOf(folder))
    if (ended !== null || searchIn(folder) !== null) return { folder, ended }
  }
  throw new UserError(`${workspace}: no search lies there to resume`, 'leave out --resume')
}

/** A new folder, or the one to go on in. Throws UserError where that was asked something else. */
export async function openMemory(
  { workspace, before, asked }: { workspace: string; before: string | null; asked: Record<string, unknown> },
  context: FlowContext,
): Promise<SearchMemory> {
  const known = before === null ? null : searchIn(before)
  if (known !== null) refuseOther(known.asked, asked)
  const folder = before ?? (await createBenchmark(workspace, context.now(), 'descriptions'))
  const proposals: Proposal[] = [...(known?.proposals ?? [])]
  const keep = () => writeArtefact(descriptionSearch, placeOf(folder), { schema_version: 1, asked, proposals })
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

function refuseOther(then: Record<string, unknown>, now: Record<string, unknown>): void {
  const other = Object.keys(now).filter((key) => canonicalJson(now[key] ?? null) !== canonicalJson(then[key] ?? null))
  if (other.length === 0) return
  throw new UserError(
    `--resume: ${other.join(', ')} ${other.length === 1 ? 'is' : 'are'} not as when the search was started`,
    'give the flags of its first start; only iterations, budget and deadline may differ',
  )
}

const placeOf = (folder: string) => path.join(folder, 'search.json')

function searchIn(folder: string): DescriptionSearch | null {
  return readIf(descriptionSearch, placeOf(folder))
}
