/** How a process starts, inside a sandbox or not. */
import type { Duplex } from 'node:stream'

export interface Invocation {
  command: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
}

export interface EnteredSandbox extends AsyncDisposable {
  /** What to start in place of the original process, with these pipes. */
  invocation: Invocation & { pipes?: readonly ((pipe: Duplex) => void)[] }
}
