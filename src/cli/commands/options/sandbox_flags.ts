/** Flags for the sandbox, shared by all commands that start agents. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Options } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { describeMissingPath } from '../../../base/fs/dead_link.ts'
import type { SandboxMode, SandboxWish } from '../../../base/sandbox/choose.ts'

export const sandboxFlags = {
  sandbox: {
    choices: ['auto', 'required', 'off'] as const,
    default: 'auto' as const,
    describe: 'run agents in a sandbox: if one works, always, or never',
  },
  network: {
    choices: ['none', 'setup', 'open'] as const,
    defaultDescription: 'none',
    describe: 'open the network',
  },
  'allow-read': {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'file or folder that agents may read',
  },
  'trust-suite': {
    type: 'boolean',
    default: false,
    describe: 'trust its commands and all its variables',
  },
} satisfies Record<string, Options>

/** The sandbox settings from these flags. Throws UserError for a place that is not there. */
export function sandboxWish(parsed: {
  sandbox: SandboxMode
  network?: 'none' | 'setup' | 'open' | undefined
  allowRead: readonly string[]
  trustSuite: boolean
}): SandboxWish {
  const readable = parsed.allowRead.map((given) => {
    const place = path.resolve(given)
    if (existsSync(place)) return place
    const why = describeMissingPath(place, 'no such file or folder')
    throw new UserError(`--allow-read "${given}": ${why}`, 'pass a file or folder that exists, or remove it')
  })
  const { trustSuite: trusted } = parsed
  return { mode: parsed.sandbox, network: parsed.network ?? null, readable, trusted, anyVariable: trusted }
}
