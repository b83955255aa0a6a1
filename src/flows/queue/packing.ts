/** The inputs of a benchmark's runs as bundles: what several runs share is put once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { WalkedFile } from '../../base/files.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'
import type { Bundles } from '../../store/bundles/bundles.ts'
import { packInputs, promptPlace } from './inputs.ts'

interface Packed {
  /** Of the bundle; null: the run has no inputs. */
  sha256: string | null
  /** The spec with places in the bundle in place of paths, and without its prompt where that is in the bundle. */
  of: (spec: RunSpec) => RunSpec
  isPromptIn: boolean
}

export interface Packing {
  /** All runs of a case have the same; a large prompt is one of them. */
  inputs(spec: RunSpec): Promise<Packed>
  /** Gives the hash of the bundle of a version of a skill. */
  skill(version: string, files: readonly WalkedFile[]): Promise<string>
}

export function packingInto(bundles: Bundles): Packing {
  const packed = new Map<string, Promise<Packed>>()
  const skills = new Map<string, Promise<string>>()
  return {
    inputs(spec) {
      const prompt = isLarge(spec.prompt) ? spec.prompt : null
      const key = sha256(canonicalJson([spec.files, spec.git, spec.environment ?? null, prompt]))
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

/** Bytes of a prompt that go through the queue with their job. */
const smallPrompt = 16 * 1024

function isLarge(prompt: string): boolean {
  return Buffer.byteLength(prompt) > smallPrompt
}

async function pack(spec: RunSpec, bundles: Bundles): Promise<Packed> {
  const { spec: packed, files, folders } = await packInputs(spec)
  const isPromptIn = isLarge(spec.prompt)
  const sha = await put({ files, folders }, isPromptIn ? spec.prompt : null, bundles)
  const { git, environment } = packed
  return {
    sha256: sha,
    isPromptIn,
    of: (one) => ({
      ...one,
      files: packed.files,
      git,
      ...(environment && { environment }),
      ...(isPromptIn && { prompt: '' }),
    }),
  }
}

/** null: there is nothing to put. */
async function put(
  { files, folders }: { files: readonly WalkedFile[]; folders: readonly string[] },
  prompt: string | null,
  bundles: Bundles,
): Promise<string | null> {
  if (prompt === null) return files.length + folders.length === 0 ? null : await bundles.put({ files, folders })
  const own = await mkdtemp(path.join(tmpdir(), 'whetstone-prompt-'))
  try {
    const source = path.join(own, promptPlace)
    await writeFile(source, prompt)
    return await bundles.put({
      files: [...files, { path: promptPlace, source, bytes: Buffer.byteLength(prompt) }],
      folders,
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
