/** The property tests of plans and suites, with many runs: they find what the few of the quick tests miss. */
process.env.WHETSTONE_MANY_RUNS = '1'
await import('./check/rules.test.ts')
await import('./evals_json.test.ts')
await import('./formats/formats_mutated.test.ts')
await import('../../features/other_suites/other_suites_mutated.test.ts')

export {}
