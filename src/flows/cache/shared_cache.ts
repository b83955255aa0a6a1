/** The shared cache of a benchmark: reads and writes signed entries, and does without them when the store fails. */
import { errorMessage } from '../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { cacheFormat } from '../../phases/1-plan/keys/cache_key.ts'
import type { BlobKind, SharedCacheWish } from '../../store/shared_cache/sealer.ts'
import type { FlowContext } from '../flow_context.ts'

/** No operation rejects; the first failure and the first unusable entry are reported, the others are not. */
export interface SharedCache {
  /** The content of an entry that was signed with the key; null: none. */
  read(kind: BlobKind, name: string): Promise<Buffer | null>
  write(kind: BlobKind, name: string, content: Uint8Array): Promise<void>
  /** Reports an entry that can't be used. */
  refuse(name: string, reason: string): void
}

/** After so many failures in a row the benchmark asks no more: a server that does not answer must not delay every run. */
const maxFailures = 3

export function openSharedCache({ blobs, sealer }: SharedCacheWish, context: FlowContext): SharedCache {
  const { place } = blobs
  const { signal } = context
  const reading = AbortSignal.any([signal, context.drain])
  let failures = 0
  const said = new Set<'failure' | 'entry'>()
  const say = (what: 'failure' | 'entry', message: string) => {
    if (said.has(what)) return
    said.add(what)
    context.emit({ type: 'shared_cache_trouble', place, message })
  }
  const attempt = async <T>(until: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> => {
    if (failures >= maxFailures || until.aborted) return null
    try {
      const done = await work(until)
      failures = 0
      return done
    } catch (error) {
      if (until.aborted) return null
      failures += 1
      say('failure', `${errorMessage(error)}; the benchmark continues without it`)
      return null
    }
  }
  const refuse = (name: string, reason: string) =>
    say('entry', `entry ${name.slice(0, 12)}… is not used: ${reason}; nor is any other such entry`)
  return {
    refuse,
    async read(kind, name) {
      const blob = await attempt(reading, (until) => blobs.get(name, until))
      if (blob === null) return null
      const content = sealer.open({ kind, name, format: cacheFormat }, blob)
      if (content === null) refuse(name, 'it was not signed with this key, or it was changed')
      return content
    },
    async write(kind, name, content) {
      const blob = sealer.seal({ kind, name, format: cacheFormat }, content)
      await attempt(signal, (until) => blobs.put(name, blob, until))
    },
  }
}

/** `run`: key of the graded run. `of`: when it took place, because two machines may perform and grade a run of one key. */
export function nameSharedGrading(of: { run: string; criteria: string; of: string }): string {
  return sha256(canonicalJson(of))
}
