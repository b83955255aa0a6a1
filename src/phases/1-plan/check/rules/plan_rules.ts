/** Rules on paths without anything to check, and those that depend on the engine or the baseline: `bench`, `eval` and --dry-run apply them. */
import type { RuleFacts } from './rule.ts'

const stops = { severity: 'error', stops_bench: true } as const

export const planRules = {
  sameVersions: {
    id: 'same-versions',
    ...stops,
    about: 'The skill and its baseline have the same content: there is nothing to compare (only with `--baseline`).',
  },
  engineLacks: {
    id: 'engine-lacks',
    ...stops,
    skips_eval: true,
    about:
      'The engine does not support what the environment of a case asks for (only with an engine: `bench`, `eval`).',
  },
  caseUndecidable: {
    id: 'case-undecidable',
    ...stops,
    skips_eval: true,
    about:
      'No criterion of a case can be decided on the engine, which shows no tools, tokens or cost (only with an engine).',
  },
  checkUndecidable: {
    id: 'check-undecidable',
    ...stops,
    about:
      'A check of a case cannot be decided on the engine; with `--allow-invalid` the case runs without its verdict (only with an engine).',
  },
  userOnlySkill: {
    id: 'user-only-skill',
    ...stops,
    about:
      'The skill has `disable-model-invocation: true`, and on the engine no run would use it (only with an engine: `bench`, `triggers`).',
  },
} satisfies Record<string, RuleFacts>

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
