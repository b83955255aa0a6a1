/** pull_request.md: the text of a pull request for a certified version. What proposers wrote is quoted as data. */
import type { Certification } from '../../../schemas/history/certification.ts'
import type { ProposedEdit } from '../../../schemas/history/round.ts'
import type { History } from '../../../schemas/history.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import { sum } from '../../base/totals.ts'
import {
  formatCount,
  formatDollars,
  formatPlural,
  formatPoints,
  formatRates,
  shortenText,
} from '../../phases/4-report/text/format.ts'
import { escapeMarkdown, markdownTable } from '../../phases/4-report/text/markdown.ts'

/** A session that ended with a certified version. */
export type CertifiedHistory = History & { certification: Certification }

export function isCertified(history: History): history is CertifiedHistory {
  return history.certification?.result === 'won'
}

/** The title and the sentence with the result, as plain text: also the message of a commit. */
export function pullRequestHeading({ skill_name, certification }: CertifiedHistory): {
  title: string
  sentence: string
} {
  const { goal, candidate, v0, sentence } = certification
  const shown = formatRates(candidate.mean, v0.mean)
  const what =
    goal === 'cheaper'
      ? `Use fewer tokens in ${skill_name}, as good as before`
      : `Improve ${skill_name}: pass rate from ${shown.baseline} to ${shown.candidate}`
  return { title: shortenText(makeVisible(what), 100), sentence: makeVisible(sentence).replaceAll(/\s+/g, ' ') }
}

/** Forges take about 65,000 characters: then the diffs are cut, and the branch has the whole. */
const mostCharacters = 60_000
const diffLimits = [20_000, 4_000, 1_000, 200] as const

/** Markdown. `command`: reproduces the session. */
export function pullRequestText(history: CertifiedHistory, command: string): string {
  const texts = diffLimits.map((limit) => writeParts(history, { command, limit }))
  return texts.find((text) => text.length <= mostCharacters) ?? texts.at(-1) ?? ''
}

function writeParts(history: CertifiedHistory, { command, limit }: { command: string; limit: number }): string {
  const { title, sentence } = pullRequestHeading(history)
  const edits = (history.rounds ?? []).flatMap(({ proposals }) => proposals.flatMap((one) => one.edits))
  const kept = edits.filter((one) => one.kept)
  const parts = [
    `# ${quote(title)}`,
    quote(sentence),
    '## How it was decided',
    decisionLines(history)
      .map((line) => `- ${line}`)
      .join('\n'),
    `## ${kept.length === 1 ? 'The edit' : `The ${kept.length} edits`}`,
    'Only the whole was certified. The effect of a single edit is an estimate from the search on training cases, in points, and not a proof.',
    ...kept.map((edit) => editText(edit, limit)),
    ...confirmationParts(history),
    ...droppedParts(edits.filter((one) => !one.kept)),
    '## Cost',
    costText(history),
    '## Reproduce',
    fence('sh', command),
    'Models answer differently each time, so another session may find other edits.',
  ]
  return `${parts.join('\n\n')}\n`
}

/** The cases, runs, judges and guards behind the result. */
function decisionLines({ certification, split }: CertifiedHistory): string[] {
  const { gain, guards, alpha, best, p_over_cases, benchmark } = certification
  const size = `${formatPlural(gain.n_cases, 'held-out case')} that no proposer saw, ${formatPlural(gain.n_runs, 'fresh run')} of ${best} and v0 together, compared once`
  const trained = split === undefined ? [] : [`Search: ${formatPlural(split.train.length, 'training case')}`]
  const over =
    p_over_cases === null ? '' : `; p over cases ${p_over_cases < 0.001 ? '< 0.001' : p_over_cases.toFixed(3)}`
  const method = gain.method === null ? '' : `; interval: ${gain.method.replaceAll('_', ' ')}`
  return [
    ...trained,
    `Certification: ${size} at a significance level of ${alpha}${method}${over} (\`${benchmark}\` of the workspace)`,
    ...judgeLines(certification),
    ...guards.map(
      (guard) => `${guard.passed === null ? 'Guard without data' : 'Guard passed'}: ${quote(guard.message)}`,
    ),
  ]
}

function judgeLines({ judge: { kind, name, disagreement } }: Certification): string[] {
  const shown = quote(name ?? '')
  switch (kind) {
    case 'code':
      return ['Judge: checks alone']
    case 'same':
      return [
        `**Warning**: ${shown} judged both the search and this result, and edits may have learned to please it; confirm the result with a judge of another family (\`--certify-judge\`)`,
      ]
    case 'second': {
      const line = `Judge: ${shown}, not the judge of the search`
      if (disagreement === undefined) return [line]
      const { decisions, differ, gain } = disagreement
      const other = gain === null ? '' : `; by its verdicts the gain is ${formatPoints(gain)}`
      return [
        line,
        `Disagreement: ${quote(disagreement.name)}, the judge of the search, differs in ${differ} of ${decisions} verdicts${other}`,
      ]
    }
  }
}

function editText(edit: ProposedEdit, limit: number): string {
  const { id, summary, why, files, diff, effect, runs_with, runs_without } = edit
  const size = `${runs_with} runs with it, ${runs_without} without`
  const effectLine = effect === null ? 'Estimated effect: none' : `Estimated effect: ${formatPoints(effect)} (${size})`
  const names = files.map((one) => `${code(one.path)} (${one.change}, +${one.lines_added} −${one.lines_removed})`)
  return [
    `### Edit ${id}: ${quote(summary)}`,
    [
      ...(why === '' ? [] : [`- Why, in the words of the proposer: ${quote(why)}`]),
      `- ${effectLine}`,
      `- Files: ${names.join(', ')}`,
    ].join('\n'),
    fence('diff', diff.length < limit ? diff : `${diff.slice(0, limit)}\n… cut at ${formatCount(limit)} characters`),
  ].join('\n\n')
}

function confirmationParts({ confirmations = [] }: History): string[] {
  if (confirmations.length === 0) return []
  return ['## Other engines', confirmations.map(({ sentence }) => `- ${quote(sentence)}`).join('\n')]
}

function droppedParts(edits: readonly ProposedEdit[]): string[] {
  if (edits.length === 0) return []
  const rows = edits.map(({ id, summary, refused, effect, runs_with }) => {
    const result =
      refused !== undefined
        ? `refused (${refused.rule}): ${refused.reason}`
        : effect === null
          ? 'did not run'
          : `${formatPoints(effect)} in ${formatPlural(runs_with, 'run')}`
    return [id, shortenText(summary, 160), shortenText(result, 160)]
  })
  const table = markdownTable(['edit', 'what', 'result on training cases'], rows, 'words')
  return ['## Tried and not kept', unlink(table)]
}

function costText({ benchmarks_usd: usd, benchmarks_unknown: unknown = 0, ...history }: History): string {
  const { rounds = [], failed_proposals = [] } = history
  const amounts = [...rounds.flatMap(({ proposals }) => proposals), ...failed_proposals].map((one) => one.cost_usd)
  const known = amounts.filter((one) => one !== null)
  const lacking = amounts.length - known.length
  const runs = sumText({ sum: usd ?? null, lacking: unknown, what: 'run or grading' })
  const paid = known.length === 0 && lacking > 0 ? null : sum(known)
  const proposals = sumText({ sum: paid, lacking, what: 'proposal' })
  return `Runs and gradings: ${runs}. Proposals: ${proposals}.`
}

function sumText({ sum, lacking, what }: { sum: number | null; lacking: number; what: string }): string {
  if (sum === null) return 'not known'
  return `${formatDollars(sum)}${lacking === 0 ? '' : ` and ${lacking} × ${what} of unknown cost`}`
}

/** One line of somebody else's text: no markup, mention, reference to an issue, or link. */
function quote(text: string): string {
  return unlink(escapeMarkdown(text))
}

/** Zero-width spaces break what forges make links of: #12, GH-12, https://, www. */
function unlink(text: string): string {
  return text
    .replaceAll(/#(?=\d)/g, '#\u200B')
    .replaceAll(/\bGH-(?=\d)/gi, '$&\u200B')
    .replaceAll(/:(?=\/\/)/g, ':\u200B')
    .replaceAll(/\bwww\.(?=\w)/gi, '$&\u200B')
}

/** A code span; a longer run of backticks than any inside ends it. */
function code(text: string): string {
  const flat = makeVisible(text).replaceAll(/\s+/g, ' ')
  const ticks = '`'.repeat(longestRun(flat) + 1)
  const pad = flat.startsWith('`') || flat.endsWith('`') ? ' ' : ''
  return `${ticks}${pad}${flat}${pad}${ticks}`
}

function fence(language: string, text: string): string {
  const visible = makeVisible(text)
  const ticks = '`'.repeat(Math.max(3, longestRun(visible) + 1))
  return `${ticks}${language}\n${visible}\n${ticks}`
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((one) => one.length))
}
