/** Packs the inputs of a benchmark's runs into bundles; stores shared inputs once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { resolveTmp } from '../../../base/fs/temp_dir.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import type { Bundles } from '../../../store/bundles/bundles.ts'
import { packInputs } from './input_bundles.ts'

interface PackedBundle {
  /** The bundle's hash; null: the run has no inputs. */
  sha256: string | null
  /** The spec with paths in the bundle. */
  of: (spec: RunSpec) => RunSpec
}

export interface InputPacker {
  /** All runs of a case share their inputs. */
  inputs(spec: RunSpec): Promise<PackedBundle>
  /** Returns the hash of a skill version's bundle. */
  skill(version: string, files: readonly WalkedFile[]): Promise<string>
  /** Returns the bundle hash of a prompt too large for a queue; null: it travels with its job. */
  prompt(text: string): Promise<string | null>
}

/** Most bytes of a prompt that travels with its job. */
const smallPrompt = 16 * 1024

/** The only file in the bundle of a prompt. */
export const promptFile = 'prompt'

export function createInputPacker(bundles: Bundles): InputPacker {
  const packed = new Map<string, Promise<PackedBundle>>()
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

async function pack(spec: RunSpec, bundles: Bundles): Promise<PackedBundle> {
  const { spec: packed, files, folders } = await packInputs(spec)
  const sha = files.length + folders.length === 0 ? null : await bundles.put({ files, folders })
  const { git, environment } = packed
  return {
    sha256: sha,
    of: (one) => ({ ...one, files: packed.files, git, ...(environment && { environment }) }),
  }
}

/** Packs the prompt as a file, like all inputs. */
async function putPrompt({ text, bytes }: { text: string; bytes: number }, bundles: Bundles): Promise<string> {
  const own = await mkdtemp(path.join(resolveTmp(), 'whetstone-prompt-'))
  try {
    const source = path.join(own, promptFile)
    await writeFile(source, text)
    return await bundles.put({ files: [{ path: promptFile, source, bytes }] })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
