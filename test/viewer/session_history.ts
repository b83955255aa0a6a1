/** The history of a whole improve session: three rounds, a certification that v2 won, another engine that did not confirm it. */

import type { ProposedEdit, RoundProposal, SearchRound } from '../../schemas/history/round.ts'
import { history } from '../../schemas/history.ts'
import { outside } from './artefacts.ts'

type Say = (text: string) => string

const at = '2026-01-15T11:00:00Z'
const train = [1, 2, 4, 5, 7, 8]
/** Rates of v0 and of v2 by held-out case; case 13 got worse. */
const heldOut = [
  ...([
    [3, 0.2, 0.6],
    [6, 0.4, 0.8],
    [9, 0.4, 0.6],
    [10, 0.6, 0.8],
    [11, 0.2, 0.6],
    [12, 0.8, 0.8],
  ] as const),
  ...([
    [13, 0.4, 0.2],
    [14, 1, 1],
    [15, 0.6, 0.8],
    [16, 0, 0.4],
    [17, 0.6, 0.8],
    [18, 0.8, 1],
  ] as const),
]

/** By round, a proposal a line: its focus, then its edits with their effects. */
const proposed = [
  `wrong totals: Says how to add up 0.09, Names the currency 0.02, Asks before rounding -0.03
lost pages: Counts pages first 0.05, Merges in one call -0.08, Lists every page refused
files in the wrong place: Writes into outputs 0.03, Adds a template -0.01`,
  `wrong totals: Checks the sum with a script 0.14, Keeps two decimals 0.004
rotated pages: Reads the page’s rotation -0.02, Rotates before it merges 0.06
slow answers: `,
  'wrong totals: Repeats the rule at the end -0.05',
]

/** Kept if its effect is above 0; one without an effect was refused. */
function toEdit(id: string, row: string, say: Say): ProposedEdit {
  const [, summary = '', said] = /^(.*) (\S+)$/.exec(row) ?? []
  const effect = said === 'refused' ? null : Number(said)
  const refused = { rule: 'leakage', reason: say('it holds the answer of a held-out case') }
  const [runs_with, runs_without] = effect === null ? [0, 0] : [19, 17]
  return {
    id: say(id),
    summary: say(summary),
    why: say(`Runs of cases 1 and 4 failed where the skill says nothing: ${summary.toLowerCase()}`),
    files: [{ path: say('SKILL.md'), change: 'modified', lines_added: 2, lines_removed: 1 }],
    diff: say(`SKILL.md\n-Do it.\n+Do it well.\n+${summary}.`),
    effect,
    ...{ runs_with, runs_without },
    cases: train.map((eval_id, place) => ({
      eval_id,
      with: effect === null || place === 5 ? null : 0.5 + effect + (place % 3) * 0.1,
      without: effect === null ? null : 0.5 + (place % 3) * 0.1,
    })),
    kept: effect !== null && effect > 0,
    ...(effect === null ? { refused } : {}),
  }
}

function toProposals(round: number, say: Say): RoundProposal[] {
  const lines = proposed[round - 1]?.split('\n') ?? []
  return lines.map((line, place) => {
    const [focus = '', edits = ''] = line.split(': ')
    const rows = edits === '' ? [] : edits.split(', ')
    const known = { model: say('claude-opus-4-5'), tokens: 12_300 + 900 * round, cost_usd: 0.2 }
    return {
      ...{ number: place + 1, focus: say(focus), engine: say('claude-code') },
      ...(place === 2 ? { model: null, tokens: null, cost_usd: null } : known),
      edits: rows.map((row, index) => toEdit(`${round}.${place + 1}.${index + 1}`, row, say)),
      ...(rows.length > 0 ? {} : { refused: { rule: 'no_change', reason: say('no edit changes a file') } }),
    }
  })
}

function listRounds(say: Say): SearchRound[] {
  const [first = [], second = [], third = []] = [1, 2, 3].map((round) => toProposals(round, say))
  const shown = (pass_rate: number) => ({ runs: 6, pass_rate })
  return [
    {
      ...{ round: 1, parent: 'v0', version: 'v1', shown: shown(0.5), runs: 42, ended_at: at, proposals: first },
      benchmarks: { shown: ['benchmarks/2026-01-14T10-00-00Z'], mixes: outside },
      estimate: { parent: 0.48, version: 0.65 },
    },
    {
      ...{ round: 2, parent: 'v1', version: 'v2', shown: shown(0.67), runs: 42, ended_at: at, proposals: second },
      benchmarks: { shown: ['benchmarks/x'], mixes: 'benchmarks/y' },
      estimate: { parent: 0.655, version: 0.84 },
    },
    {
      ...{ round: 3, parent: 'v2', version: null, shown: shown(0.83), runs: 40, ended_at: at, proposals: third },
      benchmarks: { shown: ['benchmarks/z'] },
      estimate: { parent: 0.81, version: 0.81 },
    },
  ]
}

function compared(benchmark: string, v0: number, candidate: number, half: number) {
  const estimate = (mean: number, by: number) => ({ mean, ci_low: mean - by, ci_high: mean + by })
  const gain = Math.round(100 * (candidate - v0)) / 100
  return {
    ...{ benchmark, best: 'v2', v0: estimate(v0, 0.17), candidate: estimate(candidate, 0.15) },
    gain: { ...estimate(gain, half), method: 'moderated_t', n_cases: heldOut.length, n_runs: 120 },
    cases: heldOut.map(([eval_id, before, after]) => ({ eval_id, v0: before, candidate: after })),
    scope: 'these_cases',
  }
}

function certified(say: Say) {
  return {
    ...compared('benchmarks/2026-01-15T09-00-00Z', 0.5, 0.7, 0.12),
    ...{ result: 'won', reason: say('+20 points, p = 0.002'), goal: 'better' },
    ...{ p_value: 0.002, p_over_cases: 0.008, alpha: 0.05 },
    guards: [
      {
        name: 'cost_usd',
        passed: true,
        ratio: 1.1,
        ci_high: 1.2,
        limit: 1.25,
        message: say('cost × 1.10, at most × 1.20: within × 1.25'),
      },
      {
        name: 'time_seconds',
        passed: null,
        ratio: null,
        ci_high: null,
        limit: 1.25,
        message: say('time: unknown for at least one version'),
      },
      {
        name: 'cases',
        passed: true,
        ratio: null,
        ci_high: null,
        limit: null,
        message: say('no case got significantly worse'),
      },
    ],
    judge: {
      ...{ kind: 'second', name: say('openai:gpt-5') },
      disagreement: { name: say('anthropic:claude-haiku-4-5'), decisions: 360, differ: 18, gain: 0.23 },
    },
    sentence: say(
      'Better: pass rate 70% with v2, 50% with v0: +20 points, 95% CI [8, 32], p = 0.002 (12 cases, 120 runs). This holds for these cases.',
    ),
  }
}

/** The session as history.json. */
export function historyFile(say: Say): string {
  const version = (name: string, parent: string | null, rate: number, more: object) => ({
    ...{ version: name, parent, expectation_pass_rate: rate, is_current_best: false },
    ...more,
  })
  const value = history.parse({
    ...{
      started_at: at,
      skill_name: say('pdf'),
      current_best: 'v2',
      schema_version: 2,
      ended_at: at,
      benchmarks_usd: 4.2,
    },
    iterations: [
      version('v0', null, 0.5, { grading_result: 'baseline' }),
      version('v1', 'v0', 0.65, {
        ...{ expectation_pass_rate: null, training_pass_rate: 0.65, grading_result: 'won' },
        edits: ['1.1.1', '1.1.2', '1.2.1', '1.3.1'],
      }),
      version('v2', 'v1', 0.7, { grading_result: 'won', is_current_best: true, edits: ['2.1.1', '2.1.2', '2.2.2'] }),
    ],
    split: {
      ...{ seed: 1, train, held_out: heldOut.map(([id]) => id), strata: [], suite_sha256: 'c'.repeat(64) },
      scope: say('the 12 held-out cases; a claim about similar cases needs more of them'),
    },
    plan: {
      ...{ runs: 250, search_runs: 126, certification_runs: 124, rounds: 4, alpha: 0.05, detectable: 0.16 },
      power: [
        { gain: 0.1, power: 0.45 },
        { gain: 0.2, power: 0.92 },
      ],
    },
    rounds: listRounds(say),
    failed_proposals: [{ round: 2, reason: say('the engine crashed'), tokens: null, cost_usd: null }],
    stopped: {
      ...{ reason: 'no_edit', message: say('No edit of round 3 has an effect above 0.') },
      failures: [{ kind: say('wrong total'), cases: [1, 2], runs: 3 }],
    },
    certification: certified(say),
    confirmations: [
      {
        ...compared('benchmarks/2026-01-15T10-00-00Z', 0.62, 0.66, 0.11),
        engine: say('codex:gpt-5'),
        sentence: say('Not shown to be better: pass rate 66% with v2, 62% with v0: +4 points, 95% CI [-7, 15]'),
      },
    ],
    benchmarks_unknown: 2,
  })
  return JSON.stringify(value)
}
