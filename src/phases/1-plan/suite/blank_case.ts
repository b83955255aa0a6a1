/** The empty case that every loader starts from. */
import type { SuiteCase } from '../../../../schemas/suite.ts'

/** No prompt, no files, no criteria; loaders override its fields. */
export const blankCase = {
  prompt: '',
  expected_output: null,
  files: [],
  expectations: [],
  checks: [],
  reference: null,
  timeout_seconds: null,
  setup: null,
  git: null,
  cannot_run: null,
} satisfies Omit<SuiteCase, 'eval_id' | 'eval_key' | 'eval_name'>
