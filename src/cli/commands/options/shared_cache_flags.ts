/** --shared-cache: a cache of runs that several machines use, with signed entries. */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Options } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { readSigningKey } from '../../../base/secrets/signing_key.ts'
import type { BlobStore } from '../../../store/shared_cache/blob_store.ts'
import { openFolderBlobs } from '../../../store/shared_cache/folder_blobs.ts'
import { openHttpBlobs } from '../../../store/shared_cache/http_blobs.ts'
import { createSealer, type SharedCacheWish } from '../../../store/shared_cache/sealer.ts'

export const sharedCacheFlags = {
  'shared-cache': {
    type: 'string',
    requiresArg: true,
    describe: 'folder or https URL of signed runs that machines share',
  },
  'cache-key-file': {
    type: 'string',
    requiresArg: true,
    describe: 'key file that signs them, or WHETSTONE_CACHE_KEY',
  },
} satisfies Record<string, Options>

interface SharedCacheArguments {
  sharedCache?: string | undefined
  cacheKeyFile?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** null: none requested. Throws UserError for a place that can't be used, and without a key. */
export function sharedCacheWish(asked: SharedCacheArguments, env: Environment): SharedCacheWish | null {
  const place = asked.sharedCache ?? (env.WHETSTONE_SHARED_CACHE?.trim() || undefined)
  const { cacheKeyFile: file = null } = asked
  if (place === undefined) {
    if (file === null) return null
    throw new UserError('--cache-key-file without --shared-cache', 'add --shared-cache with a folder or an https URL')
  }
  const blobs = openBlobs(place, env)
  const key = readSigningKey({ flag: '--cache-key-file', file, variable: 'WHETSTONE_CACHE_KEY', env })
  if (key !== null) return { blobs, sealer: createSealer(key) }
  throw new UserError(
    `--shared-cache ${blobs.place}: no key; only signed runs are read and written`,
    'set WHETSTONE_CACHE_KEY, or use --cache-key-file (create one: openssl rand -hex 32 > cache.key)',
  )
}

function openBlobs(place: string, env: Environment): BlobStore {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(place)) {
    return openHttpBlobs({ url: parseCacheUrl(place), token: env.WHETSTONE_CACHE_TOKEN?.trim() || null })
  }
  const folder = path.resolve(place)
  const isFolder = (at: string) => statSync(at, { throwIfNoEntry: false })?.isDirectory()
  // a missing folder is created, since CI may have nothing to restore yet; one in a missing folder is a mistake
  if (isFolder(folder) ?? isFolder(path.dirname(folder))) return openFolderBlobs(folder)
  throw new UserError(`--shared-cache ${place}: no such folder`, 'mount it, or create it: mkdir -p')
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

function parseCacheUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && (url.username !== '' || url.password !== '')) {
    url.username = ''
    url.password = ''
    const message = `--shared-cache ${url.href}: a password in the URL, where others can read it`
    throw new UserError(message, 'set WHETSTONE_CACHE_TOKEN to a token or to user:password')
  }
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname))
  if (url !== null && isSafe && url.search === '' && url.hash === '') return url
  throw new UserError(
    `--shared-cache "${text}": expected a folder, or an https URL without a query`,
    'use https://; http:// only for a server on this machine',
  )
}
