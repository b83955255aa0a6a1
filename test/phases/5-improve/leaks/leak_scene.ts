/** A skill, its cases, leaks of the held-out ones in other words, and honest edits. */

/** The prompt, then what is expected. */
type CaseTexts = [prompt: string, ...expected: string[]]

export interface LeakScene {
  skill: string
  seen: CaseTexts[]
  held: CaseTexts[]
  /** The kind of paraphrase, the added text, and the file that gets it (else SKILL.md). */
  leaks: [kind: string, text: string, file?: string][]
  /** Leaks that share too little with the case to be found: no name, no number, few words. */
  missed?: string[]
  honest: string[]
}
