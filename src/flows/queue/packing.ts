/** The inputs of a benchmark's runs as bundles: what several runs share is put once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { WalkedFile } from '../../base/files.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'
import { realTmp } from '../../base/room.ts'
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
  /** Gives the hash of the bundle of a prompt that is too large for a queue; null: this one goes with its job. */
  prompt(text: string): Promise<string | null>
}

/** Bytes of a prompt that go through the queue with their job. */
const smallPrompt = 16 * 1024

/** The only file in the bundle of a prompt. */
export const promptFile = 'prompt'

export function packingInto(bundles: Bundles): Packing {
  const packed = new Map<string, Promise<Packed>>()
  const skills = new Map<string, Promise<string>>()
  const prompts = new Map<string, Promise<string>>()
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
    async prompt(text) {
      const bytes = Buffer.byteLength(text)
      if (bytes <= smallPrompt) return null
      const key = sha256(text)
      const known = prompts.get(key) ?? putPrompt({ text, bytes }, bundles)
      prompts.set(key, known)
      return await known
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

/** By a file, as all inputs. */
async function putPrompt({ text, bytes }: { text: string; bytes: number }, bundles: Bundles): Promise<string> {
  const own = await mkdtemp(path.join(realTmp(), 'whetstone-prompt-'))
  try {
    const source = path.join(own, promptFile)
    await writeFile(source, text)
    return await bundles.put({ files: [{ path: promptFile, source, bytes }] })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
