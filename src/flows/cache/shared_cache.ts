/** The shared cache of a benchmark: reads and writes signed entries, and does without them when the folder fails. */
import path from 'node:path'
import { errorMessage } from '../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { cacheFormat } from '../../phases/1-plan/keys/cache_key.ts'
import { readShared, type SharedCacheWish, type SharedKind, writeShared } from '../../store/cache/cache.ts'
import type { FlowContext } from '../flow_context.ts'

/** No operation rejects; the first failure and the first unusable entry are reported, the others are not. */
export interface SharedCache {
  /** The content of an entry that was signed with the key; null: none. */
  read(kind: SharedKind, name: string): Promise<Buffer | null>
  write(kind: SharedKind, name: string, content: Uint8Array): Promise<void>
  /** Reports an entry that can't be used. */
  refuse(name: string, reason: string): void
}

export function openSharedCache({ folder, sealer }: SharedCacheWish, context: FlowContext): SharedCache {
  const said = new Set<'failure' | 'entry'>()
  const say = (what: 'failure' | 'entry', message: string) => {
    if (said.has(what)) return
    said.add(what)
    context.emit({ type: 'shared_cache_trouble', place: folder, message })
  }
  const fail = (error: unknown) => {
    say('failure', `${errorMessage(error)}; the benchmark continues without it`)
    return null
  }
  const refuse = (name: string, reason: string) =>
    say('entry', `entry ${name.slice(0, 12)}… is not used: ${reason}; nor is any other such entry`)
  return {
    refuse,
    async read(kind, name) {
      const sealed = await readShared(path.join(folder, name)).catch(fail)
      if (sealed === null) return null
      const content = sealer.open({ kind, name, format: cacheFormat }, sealed)
      if (content === null) refuse(name, 'it was not signed with this key, or it was changed')
      return content
    },
    async write(kind, name, content) {
      await writeShared(path.join(folder, name), sealer.seal({ kind, name, format: cacheFormat }, content)).catch(fail)
    },
  }
}

/** `run`: key of the graded run. `of`: when it took place, because two machines may perform and grade a run of one key. */
export function nameSharedGrading(of: { run: string; criteria: string; of: string }): string {
  return sha256(canonicalJson(of))
}
