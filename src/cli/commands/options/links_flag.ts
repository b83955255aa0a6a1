/** The flag for links that lead out of a skill, shared by the commands that give a skill to agents. */
import type { Options } from 'yargs'

export const linksFlag = {
  links: {
    choices: ['copy', 'refuse'] as const,
    defaultDescription: 'copy within its git repository',
    describe: 'links that lead out of the skill',
  },
} satisfies Record<string, Options>
