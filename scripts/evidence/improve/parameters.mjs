// Every number of the simulated world and of the other loops, in one place, each with its reason. The five worlds and two proposers were fixed
// before the first table was printed. Whetstone's own numbers are in its code (src/phases/5-improve/search); they were chosen on these worlds
// with the sessions 1 to 400, so sessions from 501 on confirm them.

/** Chances of a run never reach 0 or 1: an agent slips now and then, and guesses right now and then. */
export const chanceLimits = { low: 0.03, high: 0.97 }

/** v0 passes each case with a chance from .1 to .7: cases of every difficulty, with room above. */
export const firstChance = { low: 0.1, spread: 0.6 }

/** Unseen cases on which the true gain is measured: enough that the draw of cases moves it by less than a point. */
export const unseenCases = 300

/** Mean effect of an edit that helps or harms: 5 to 30 points. */
export const editSize = { low: 0.05, spread: 0.25 }

/** Kinds of failure. In the mixed world an edit helps some kinds and hurts the others. */
export const failureKinds = 4

/** The mixed world moves single kinds by more, so that its helpful edits (3 kinds up, 1 down) gain 5 to 25 points on average. */
export const mixedSize = { low: 0.1, spread: 0.4 }

/** Pairs of edits in the interacting world: 30% lose 15 points together, 15% gain 10. Most instructions do not touch each other. */
export const pairEffects = { conflict: { share: 0.3, effect: -0.15 }, synergy: { share: 0.15, effect: 0.1 } }

/**
 * What proposers offer. `trick` is the world's own kind of edit: gains on seen cases only, pleases the judge only, or helps two kinds of
 * failure and hurts two. The rest has no effect. A quarter helps; a third are tricks, so that
 * a loop that falls for them shows it. `nothing helps` is the negative control: whatever ships there is a mistake.
 */
export const worlds = {
  plain: { helpful: 0.25, harmful: 0.25, trick: 0, rule: 'plain' },
  'training only': { helpful: 0.25, harmful: 0.2, trick: 0.3, rule: 'overfit' },
  'judge only': { helpful: 0.25, harmful: 0.2, trick: 0.3, rule: 'please' },
  'helps some, hurts others': { helpful: 0.25, harmful: 0.25, trick: 0.5, rule: 'mixed' },
  interacting: { helpful: 0.25, harmful: 0.25, trick: 0, rule: 'interact' },
  'moves few cases': { helpful: 0.25, harmful: 0.25, trick: 0, rule: 'sparse' },
  'judges sway': { helpful: 0.25, harmful: 0.25, trick: 0, rule: 'sway' },
  'some break it': { helpful: 0.25, harmful: 0.25, trick: 0.15, rule: 'break' },
  'mostly hurts': { helpful: 0, harmful: 0.4, trick: 0.4, rule: 'mixed' },
  'nothing helps': { helpful: 0, harmful: 0.35, trick: 0, rule: 'plain' },
}

/**
 * Shown, but not in the averages: edits that move few cases; judges whose error stays with a version; a stress for loops that try several edits at once; edits that hurt more kinds of failure than they help, which
 * deceives whoever judges by few cases; and the negative control.
 */
export const extraWorlds = ['moves few cases', 'judges sway', 'some break it', 'mostly hurts', 'nothing helps']

/** Where edits move few cases: the share of cases, and how much each of them moves. Fixes of single bugs are like that. */
export const sparseEdits = { share: 0.15, low: 0.3, spread: 0.6 }

/** Where judges sway, each judge rates a version up to this much higher or lower than it is, on every case and in every run: more runs do not help. */
export const mostSway = 0.1

/** In the stress world 15% of the edits break the skill: every case loses this much. */
export const breakingEffect = -0.6

/**
 * A proposer that learns finds helpful edits more often, the more different failed cases it is shown: 25 points more at most, half of
 * that with 6 failed cases. Tricks stay as frequent; harmful and empty edits become fewer.
 */
export const proposers = { 'does not learn': { boost: 0, half: 6 }, learns: { boost: 0.25, half: 6 } }

/**
 * The judge that decides a certification is another one than the judge of the search, or code. Its errors are independent: it turns 5% of
 * all results around, and edits that please the first judge do not please it. Used in the judge-only world; elsewhere judges make no mistake.
 */
export const secondJudge = { error: 0.05 }

/** What a run takes and costs, whatever its version: lognormal, as varied as runs of agents are. */
export const runSeconds = { mean: 60, cv: 0.5 }
export const runUsd = { mean: 0.08, cv: 0.4 }

/** Budgets in runs, suites in cases, as in the question. */
export const budgets = [60, 120, 250, 600]
export const suiteSizes = [4, 8, 18, 40]
export const defaultSessions = 200

/** Loops that score a version on all their cases run each case often enough for this many runs a score: one run of 4 cases says nothing. */
export const leastScoreRuns = 12

/** Below this number GEPA uses every case for both training and validation: halves of four cases are too small for its minibatches of 3. */
export const fewCases = 8

/** Edits of another loop's proposal that has several: SkillOpt's default, and as many as a proposer of Whetstone is asked for. */
export const editsAtOnce = 4

/** Two edits that were written at the same time touch the same lines with this chance; then they can't be in one version. */
export const overlapShare = 0.15

/**
 * `--goal cheaper`. v0 passes a case with a chance in this range. A version loses the same on each case, or more on some and less on others:
 * then cases in turn lose `unequal` less and more. Skills that pass nearly everything are the usual candidates for savings.
 */
export const cheaperSkills = {
  'passes 25 to 85%': { low: 0.25, spread: 0.6, unequal: 0 },
  'the same, unequal losses': { low: 0.25, spread: 0.6, unequal: 0.1 },
  'passes 90 to 99%': { low: 0.9, spread: 0.09, unequal: 0 },
}

/** True losses of the pass rate. 10 points is the margin (--max-loss): from there on at most 5% may be certified. */
export const cheaperLosses = [0.15, 0.1, 0.05, 0]

/** What a version truly saves. Where it saves nothing, "cheaper" is wrong. */
export const tokensSaved = [0, 0.1, 0.2, 0.4]

/** Tokens of a run vary by 40% around the mean of their case, lognormal. Cases take 10,000 to 50,000. */
export const tokensCv = 0.4
export const caseTokens = { low: 10_000, spread: 40_000 }
