/** Flags for the sandbox, shared by all commands that start agents. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import { describeMissingPath } from '../../../base/fs/nearest_path.ts'
import type { SandboxMode, SandboxWish } from '../../../base/sandbox/choose.ts'
import { type Flags, level, list, onOff, powerPath } from './flag.ts'

export const sandboxFlags = {
  sandbox: {
    choices: ['auto', 'required', 'off'] as const,
    default: 'auto' as const,
    section: 'Sandbox',
    trust: level('runs agents and commands without a sandbox', 'required', 'auto', 'off'),
    describe: 'run agents in a sandbox: if one works, always, or never',
  },
  network: {
    choices: ['none', 'setup', 'open'] as const,
    defaultDescription: 'none',
    section: 'Sandbox',
    trust: level('opens the network for agents', 'none', 'setup', 'open'),
    describe: 'open the network',
  },
  'allow-read': {
    ...list,
    section: 'Sandbox',
    trust: powerPath('lets agents read this'),
    describe: 'file or folder that agents may read',
  },
  'trust-suite': {
    ...onOff,
    section: 'Sandbox',
    trust: level('runs commands of the suite without a question', 'false', 'true'),
    describe: 'trust its commands and all its variables',
  },
} satisfies Flags

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
