/** The sandbox of macOS: Seatbelt with the profile of @anthropic-ai/sandbox-runtime (optional, loaded on use). Not verified on a Mac. */

import path from 'node:path'
import { quoteWord } from '../typed_command.ts'
import { isSubpath } from './paths_below.ts'
import type { SandboxPolicy } from './policy.ts'

export interface SeatbeltRequest {
  policy: Pick<SandboxPolicy, 'writable' | 'readOnly' | 'hidden' | 'network' | 'scratch'>
  /** Readable files and folders in addition to the system's: the policy's and those of programs, absolute. */
  readable: readonly string[]
  /** Loopback ports of this machine that lead to endpoints; at most two are allowed. */
  ports: readonly number[]
  /** Set inside; overrides the profile's own proxies and temporary folder. */
  env: Readonly<Record<string, string>>
  command: readonly string[]
}

/** Places of users, other runs and other disks. The rest of the system is readable, because programs in Seatbelt need it. */
const deniedFolders = [
  '/Users',
  '/Volumes',
  '/home',
  '/tmp',
  '/private/tmp',
  '/var/folders',
  '/private/var/folders',
  '/var/root',
]

/** The command for `/bin/sh -c`. Rejects when the package is not installed. */
export async function buildSeatbeltCommand(request: SeatbeltRequest): Promise<string> {
  const { wrapCommandWithSandboxMacOS } = await import(
    '@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js'
  )
  const { policy, readable, ports, env, command } = request
  const [httpProxyPort, socksProxyPort] = ports
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const isShown = (place: string) =>
    !policy.hidden.some((hidden) => isSubpath(hidden, place) || isSubpath(place, hidden))
  return wrapCommandWithSandboxMacOS({
    command: ['/usr/bin/env', '-u', 'JAVA_TOOL_OPTIONS', ...settings, ...command].map(quoteWord).join(' '),
    needsNetworkRestriction: policy.network !== 'open',
    ...(httpProxyPort === undefined ? {} : { httpProxyPort }),
    ...(socksProxyPort === undefined ? {} : { socksProxyPort }),
    readConfig: {
      denyOnly: [...deniedFolders, ...policy.hidden],
      // a folder with something hidden in it is not shown at all: the profile can't cover a part of it
      allowWithinDeny: [...readable.filter(isShown), ...policy.writable],
    },
    writeConfig: { allowOnly: [...policy.writable], denyWithinAllow: [...policy.readOnly] },
    binShell: '/bin/sh',
  })
}

/** The temporary folder of a run: macOS has no separate /tmp. */
export function seatbeltEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return { TMPDIR: env.TMPDIR ?? path.join(env.HOME ?? '/', 'tmp') }
}
