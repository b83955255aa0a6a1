/** The flags of what is done with recorded sessions: grading them, and drafting cases from them. */
import { type Flags, list, onOff, text } from '../../cli/commands/options/flag.ts'
import type { CommandMode } from '../../cli/commands/options/modes.ts'

export const sessionFlags = {
  session: {
    ...text,
    section: 'Sessions',
    describe: 'recorded session of an agent, or a folder of them, in place of a benchmark',
  },
  suite: { ...text, describe: 'cases of --session: each session gets the case with its first message' },
  expect: { ...list, section: 'Sessions', describe: 'a statement that must hold in each session without a case' },
  skill: { ...text, describe: 'skill: compares sessions that had it with those that did not' },
  files: { ...text, section: 'Sessions', describe: 'folder as the session left it, for checks on files (one session)' },
  workspace: {
    ...text,
    defaultDescription: './workspaces/<skill>',
    section: 'Output and CI',
    describe: 'where --session writes its results',
  },
  'dry-run': { ...onOff, section: 'Common', describe: 'show which sessions would be graded, and grade nothing' },
} satisfies Flags

export const draftFlags = {
  'from-sessions': { ...list, describe: 'draft from recorded sessions, without a model: file or folder' },
} satisfies Flags

export const gradeSessionMode: CommandMode = {
  flag: 'session',
  add: '--session with a file or folder of sessions',
  flags: sessionFlags,
  about: 'With --session it grades sessions that happened, of agents, benchmarks and chat APIs.',
  examples: [['$0 grade --session ~/.claude/projects/-home-me-app --skill skills/pdf', 'grade sessions that happened']],
  start: async (parsed: never) => (await import('./grade_mode.ts')).gradeSession(parsed),
}

export const draftSessionsMode: CommandMode = {
  flag: 'from-sessions',
  add: '--from-sessions with a file or folder of sessions',
  flags: draftFlags,
  about:
    'With --from-sessions no model is asked: tasks that recur in recorded sessions become cases, first messages become trigger queries. Secrets and personal data of known forms are removed, without guarantee: review the files before you commit them.',
  examples: [['$0 init skills/pdf --from-sessions ~/.claude/projects', 'draft from what people asked an agent for']],
  start: async (parsed: never, typed: never) => (await import('./draft_mode.ts')).draftFromSessions(parsed, typed),
}
