/** Rules for paths where there is nothing to check. */
import type { RuleFacts } from './rule.ts'

export const placeRules = {
  unreadable: {
    id: 'skill-unreadable',
    severity: 'error',
    about: 'There is no such folder, or no SKILL.md in it (exit code 2).',
  },
  suiteUnreadable: {
    id: 'suite-unreadable',
    severity: 'error',
    about:
      'The suite cannot be read: it is not JSON, has no cases, is a broken link, or is where agents can read it (exit code 2).',
  },
  noSuite: { id: 'suite-missing', severity: 'warning', about: 'The skill has no suite.' },
} satisfies Record<string, RuleFacts>
