/** The flags of the sandbox, shared by all commands that start agents. */
import path from 'node:path'
import type { Options } from 'yargs'
import type { SandboxMode, SandboxWish } from '../../base/sandbox/choose.ts'

export const sandboxFlags = {
  sandbox: {
    choices: ['auto', 'required', 'off'] as const,
    default: 'auto' as const,
    describe: 'what agents are confined to: auto where it works, required or nothing starts, off',
  },
  network: {
    choices: ['none', 'open'] as const,
    describe: "what agents' tools reach in the sandbox; as the suite says, else none, if not given",
  },
  'allow-read': {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'a file or folder that agents may read in the sandbox (repeatable)',
  },
} satisfies Record<string, Options>

/** What those flags ask. */
export function sandboxWish(parsed: {
  sandbox: SandboxMode
  network?: 'none' | 'open' | undefined
  allowRead: readonly string[]
}): SandboxWish {
  const readable = parsed.allowRead.map((place) => path.resolve(place))
  return { mode: parsed.sandbox, network: parsed.network ?? null, readable }
}
