/** The sandbox of macOS: Seatbelt by the profile of @anthropic-ai/sandbox-runtime (optional, loaded when used). Not yet proven on a Mac. */
import path from 'node:path'
import { isBelow } from './below.ts'
import type { SandboxPolicy } from './policy.ts'

export interface SeatbeltRequest {
  policy: Pick<SandboxPolicy, 'writable' | 'readOnly' | 'hidden' | 'network' | 'scratch'>
  /** What may be read beside the system: the policy's and that of programs, absolute. */
  readable: readonly string[]
  /** Loopback ports of this machine that lead to endpoints; two at most are let through. */
  ports: readonly number[]
  /** Set inside: the profile's own proxies and temporary folder give way to these. */
  env: Readonly<Record<string, string>>
  command: readonly string[]
}

/** Where users, other runs and other disks are. The rest of the system is readable, which Seatbelt's programs need. */
const denied = [
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
export async function seatbeltCommand(request: SeatbeltRequest): Promise<string> {
  const { wrapCommandWithSandboxMacOS } = await import(
    '@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js'
  )
  const { policy, readable, ports, env, command } = request
  const [httpProxyPort, socksProxyPort] = ports
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const isShown = (place: string) => !policy.hidden.some((hidden) => isBelow(hidden, place) || isBelow(place, hidden))
  return wrapCommandWithSandboxMacOS({
    command: ['/usr/bin/env', '-u', 'JAVA_TOOL_OPTIONS', ...settings, ...command].map(quoted).join(' '),
    needsNetworkRestriction: policy.network !== 'open',
    ...(httpProxyPort === undefined ? {} : { httpProxyPort }),
    ...(socksProxyPort === undefined ? {} : { socksProxyPort }),
    readConfig: {
      denyOnly: [...denied, ...policy.hidden],
      // a folder that holds something hidden is not shown at all: the profile can't cover a part of it
      allowWithinDeny: [...readable.filter(isShown), ...policy.writable],
    },
    writeConfig: { allowOnly: [...policy.writable], denyWithinAllow: [...policy.readOnly] },
    binShell: '/bin/sh',
  })
}

/** As one word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Where the temporary folder of a run is: no /tmp of its own on macOS. */
export function seatbeltEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return { TMPDIR: env.TMPDIR ?? path.join(env.HOME ?? '/', 'tmp') }
}
