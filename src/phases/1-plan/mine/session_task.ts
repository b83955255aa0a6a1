/** What `mine` needs of a recorded session: the person's messages and what became of them. Texts are already redacted. */

export interface SessionTask {
  /** The session's own id, or the name of its file. */
  id: string
  /** Such as claude-code. */
  agent: string
  /** ISO 8601; null: not recorded. */
  startedAt: string | null
  /** The person's messages in order; the first one is the task. Never empty. */
  messages: readonly string[]
  /** The agent's last answer; empty: none. */
  answer: string
  /** Files that the person names or the agent reads, without those that the session creates; relative to the working folder. */
  files: readonly string[]
  /** Files that the agent creates or changes. */
  written: readonly string[]
  /** Names of the skills that the agent read. */
  skills: readonly string[]
}
