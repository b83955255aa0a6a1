/** The table of suite formats, in the order in which they are tried. */
import type { SuiteFormat } from '../suite/inspected_suite.ts'
import { aamFormat } from './aam.ts'
import { evalCommentFormat } from './eval_comment.ts'
import { evalMdFormat } from './eval_md.ts'
import { evalsJsonFormat } from './evals_json.ts'
import { goldenFormat } from './golden.ts'
import { harborFormat } from './harbor.ts'
import { othersFormat } from './others.ts'
import { pluginEvalFormat } from './plugin_eval.ts'

export const suiteFormats: Record<string, SuiteFormat> = {
  'evals.json': evalsJsonFormat,
  'plugin-eval': pluginEvalFormat,
  'eval.md': evalMdFormat,
  'eval-comment': evalCommentFormat,
  golden: goldenFormat,
  aam: aamFormat,
  harbor: harborFormat,
  others: othersFormat,
}

/** Adds those of features, after the others; again changes nothing. */
export function addSuiteFormats(more: Readonly<Record<string, SuiteFormat>>): void {
  Object.assign(suiteFormats, more)
}
