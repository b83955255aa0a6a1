/** The flag for the place where Harbor tasks run. */
import type { Options } from 'yargs'

export const backendFlag = {
  backend: {
    choices: ['auto', 'plain', 'docker', 'podman'] as const,
    default: 'auto' as const,
    requiresArg: true,
    describe: 'where Harbor tasks run: containers, or plain (bubblewrap)',
  },
} satisfies Record<string, Options>
