/** Lists every rule of `check`, in the order of the docs. */
import { caseRules } from './case_rules.ts'
import { checkRules } from './check_rules.ts'
import { criteriaRules } from './criteria_rules.ts'
import { deadCheckRules } from './dead_check_rules.ts'
import { frontmatterRules } from './frontmatter_rules.ts'
import { loaderRules } from './loader_rules.ts'
import { placeRules } from './missing_path_rules.ts'
import { overlapRules } from './overlap_rules.ts'
import { planRules } from './plan_rules.ts'
import type { RuleFacts } from './rule.ts'
import { configTrustRule, networkRule, suiteRules, unsoundTaskRule } from './suite_rules.ts'
import { treeRules } from './tree_rules.ts'
import { trialRules } from './trial_rules.ts'

export const allRules: readonly RuleFacts[] = [
  ...Object.values(placeRules),
  ...frontmatterRules,
  ...treeRules,
  ...suiteRules,
  networkRule,
  configTrustRule,
  unsoundTaskRule,
  ...caseRules,
  ...criteriaRules,
  ...checkRules,
  ...deadCheckRules,
  ...loaderRules,
  ...Object.values(planRules),
  ...trialRules,
  ...Object.values(overlapRules),
]
