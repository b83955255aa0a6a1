/** Rules that depend on the engine: `bench`, `eval` and --dry-run apply them, `check` knows no engine. */
import type { RuleFacts } from './rule.ts'

export const planRules = {
  engineLacks: {
    id: 'engine-lacks',
    severity: 'error',
    stops_bench: true,
    skips_eval: true,
    about: 'The engine does not honour what the environment of a case asks for (only with an engine: `bench`, `eval`).',
  },
  caseUndecidable: {
    id: 'case-undecidable',
    severity: 'error',
    stops_bench: true,
    skips_eval: true,
    about:
      'No criterion of a case can be decided on the engine, which shows no tools, tokens or cost (only with an engine).',
  },
  checkUndecidable: {
    id: 'check-undecidable',
    severity: 'error',
    stops_bench: true,
    about:
      'A check of a case cannot be decided on the engine; with `--allow-invalid` the case runs without its verdict (only with an engine).',
  },
} satisfies Record<string, RuleFacts>
