/** Rules that depend on the engine or the baseline, which `check` does not know: `bench`, `eval` and --dry-run apply them. */
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
