/** Writes the prompt for a proposer, and reads the summaries from its final response. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import { proposalBounds } from './proposal_bounds.ts'

const compile = (file: URL) => Handlebars.compile(readFileSync(file, 'utf8'), { strict: true, noEscape: true })
const promptForCopies = compile(new URL('./propose_prompt.md', import.meta.url))
const promptForText = compile(new URL('./propose_in_text.md', import.meta.url))

/** Separate changes that one proposer may make. */
export const changesPerProposal = 4

/** The folder of a change in the proposer's working folder, relative to it. */
export function changeFolder(change: number, name: string): string {
  return `change-${change}/${name}`
}

const goals = {
  better:
    'Find out why runs failed. Do agents skip the skill, misread it, or follow a wrong step? Does it leave something out? Does one of its scripts fail?',
  cheaper:
    'Agents shall reach the same results with fewer tokens (`summary.md` has the tokens of each run). Find out what costs tokens: steps, reads, outputs and repetitions that the result does not need, and long texts that every run loads. Tasks that pass must still pass.',
  description:
    'Agents see the names and descriptions of their skills, and decide from them alone whether to read one. Find out for which tasks this skill was not read although it should be, or was read although it should not, and which skill was read in its place. Change nothing but the `description` in the frontmatter of SKILL.md: one paragraph of at most 1,024 characters without `<` or `>`. Say what the skill does and when to use it, in the words that people use for such tasks, and name what it is not for.',
} as const

/** For a proposer that sees answers only. */
const textGoals = {
  better: 'Find out why answers failed: what does the model misread, and what does the skill leave out?',
  cheaper: 'The answers shall stay as good with fewer tokens: find out which text of the skill they do not need.',
  description: goals.description,
} as const

export interface ProposeWords {
  /** The skill's. */
  name: string
  goal: keyof typeof goals
  /** Most changes. */
  changes: number
  /** The failures to look at first; empty: any. */
  focus: string
  /** Training cases that pass now. */
  passing: readonly string[]
  /** Earlier edits that were not kept, and why: one line each. */
  rejected: readonly string[]
  /** What people wrote about runs of training cases. */
  feedback: readonly string[]
  /** What parts of the skill change and cost, by their runs with and without them: one line each. */
  units: readonly string[]
  /** For a proposer without tools, which answers with edits of SKILL.md: its text and the runs that it learns from. Absent: it has tools. */
  inText?: { skill: string; runs: string } | undefined
}

export function proposePrompt(words: ProposeWords): string {
  const { name, goal, changes, focus, passing, rejected, feedback, units, inText } = words
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n${title}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`
  const { files, lines, skillLines } = proposalBounds
  const template = inText === undefined ? promptForCopies : promptForText
  const earlier = inText === undefined ? ' (`training/earlier_edits.md` has their diffs)' : ''
  return template({
    ...{ name, files, lines, skillLines, changes, goal: goals[goal] },
    ...(inText && { ...inText, goal: textGoals[goal] }),
    focus: focus === '' ? '' : `Look at these failures first: ${focus}.\n`,
    keep: passing.length === 0 ? '' : `\nThese tasks pass now and must not break: ${passing.join(', ')}.\n`,
    rejected: list(`Tried already and not kept${earlier}; do not try the same again:`, rejected),
    feedback: list('What people say about the runs:', feedback),
    units: list(
      'Parts of the skill by what they change in the pass rate, from runs with and without them; a part without an effect can be shortened or replaced:',
      units,
    ),
  })
}

/** From the final response; a change without a line of its own is described by the first line. */
export function parseSummary(response: string, change: number): { summary: string; why: string } {
  const line = (name: string) => new RegExp(`^\\W*${name} ?${change}\\W*:\\s*(.+)$`, 'im').exec(response)?.[1]?.trim()
  const summary = line('CHANGE') ?? response.trim().split('\n')[0] ?? ''
  return { summary: summary.slice(0, 500) || 'not described', why: (line('WHY') ?? '').slice(0, 500) }
}
