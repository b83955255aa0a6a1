/** The inputs of a benchmark's runs as bundles: what several runs share is put once. */
import type { RunSpec } from '../../../schemas/plan.ts'
import type { WalkedFile } from '../../base/files.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'
import type { Bundles } from '../../store/bundles/bundles.ts'
import { packInputs } from './inputs.ts'

interface Packed {
  /** Of the bundle; null: the run has no inputs. */
  sha256: string | null
  /** The spec with places in the bundle in place of paths. */
  of: (spec: RunSpec) => RunSpec
}

export interface Packing {
  /** All runs of a case have the same. */
  inputs(spec: RunSpec): Promise<Packed>
  /** Gives the hash of the bundle of a version of a skill. */
  skill(version: string, files: readonly WalkedFile[]): Promise<string>
}

export function packingInto(bundles: Bundles): Packing {
  const packed = new Map<string, Promise<Packed>>()
  const skills = new Map<string, Promise<string>>()
  return {
    inputs(spec) {
      const key = sha256(canonicalJson([spec.files, spec.git, spec.environment ?? null]))
      const known = packed.get(key) ?? pack(spec, bundles)
      packed.set(key, known)
      return known
    },
    skill(version, files) {
      const known = skills.get(version) ?? bundles.put({ files })
      skills.set(version, known)
      return known
    },
  }
}

async function pack(spec: RunSpec, bundles: Bundles): Promise<Packed> {
  const { spec: packed, files, folders } = await packInputs(spec)
  const sha = files.length + folders.length === 0 ? null : await bundles.put({ files, folders })
  const { git, environment } = packed
  return {
    sha256: sha,
    of: (one) => ({ ...one, files: packed.files, git, ...(environment && { environment }) }),
  }
}
