/** Reads who owns a case and whether it is in quarantine. */
import type * as z from 'zod'
import { ownerNames } from '../../../../../schemas/case_upkeep.ts'
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import type { Warn } from '../../suite/loader_warnings.ts'

const ownerFields = ['owner', 'owners']

type OwnerNames = z.infer<typeof ownerNames>

export function isOwnerField(name: string): boolean {
  return ownerFields.includes(name)
}

/** Other tools also use these names, for instance for objects, which are not read. */
export function isOwnerValue(value: unknown): boolean {
  return ownerNames.safeParse(value).success
}

/** Without the file's owners if the case names its own. */
export function chooseSharedOwners(
  shared: Record<string, unknown>,
  ofCase: Record<string, unknown>,
): Record<string, unknown> {
  const hasOwn = ownerFields.some((name) => isOwnerValue(ofCase[name]))
  return hasOwn ? Object.fromEntries(Object.entries(shared).filter(([name]) => !isOwnerField(name))) : shared
}

interface UpkeepFields {
  owner?: OwnerNames | undefined
  owners?: OwnerNames | undefined
  quarantine?: boolean | string | undefined
}

/** Warns about a quarantined case: it should be fixed or removed at some time. */
export function readUpkeep(
  { owner = [], owners = [], quarantine = false }: UpkeepFields,
  at: string,
  warn: Warn,
): Pick<SuiteCase, 'owners' | 'quarantine'> {
  const names = [...new Set([owner, owners].flat())]
  if (quarantine !== false) {
    const why = quarantine === true ? '' : ` (${quarantine})`
    warn(at, `a quarantined case${why}: it runs and is reported, but counts in no number and no gate`)
  }
  return { ...(names.length > 0 && { owners: names }), ...(quarantine !== false && { quarantine }) }
}
