/** Writes the prompt for a proposer, and reads the summary from its final response. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import { proposalBounds } from './proposal_bounds.ts'

const source = readFileSync(new URL('./propose_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(source, { strict: true, noEscape: true })

export interface ProposeWords {
  /** The skill's. */
  name: string
  /** Earlier proposals that were rejected, and why: one line each. */
  rejected: readonly string[]
  /** What people wrote about runs of training cases. */
  feedback: readonly string[]
}

export function proposePrompt({ name, rejected, feedback }: ProposeWords): string {
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n${title}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`
  const { files, lines, skillLines } = proposalBounds
  return template({
    ...{ name, files, lines, skillLines },
    rejected: list('Tried already and not taken; do not try the same again:', rejected),
    feedback: list('What people say of the runs:', feedback),
  })
}

/** From the final response; without a SUMMARY line, its first line is the summary. */
export function parseSummary(response: string): { summary: string; why: string } {
  const line = (name: string) => new RegExp(`^\\W*${name}\\W*:\\s*(.+)$`, 'm').exec(response)?.[1]?.trim()
  const summary = line('SUMMARY') ?? response.trim().split('\n')[0] ?? ''
  return { summary: summary.slice(0, 500) || 'nothing was said', why: (line('WHY') ?? '').slice(0, 500) }
}
