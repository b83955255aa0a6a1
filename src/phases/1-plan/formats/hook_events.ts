/** Lists the hook events of Claude Code (2.1), and recognises misspelt ones and hook files of other agents. */
import { findMisspelling } from '../../../base/text/did_you_mean.ts'
import { isJsonObject } from './evals_json/fields.ts'

const hookEvents = [
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'PermissionRequest', 'PermissionDenied'],
  ...['UserPromptSubmit', 'UserPromptExpansion', 'Notification', 'MessageDisplay', 'Elicitation', 'ElicitationResult'],
  ...['Setup', 'SessionStart', 'SessionEnd', 'Stop', 'StopFailure', 'SubagentStart', 'SubagentStop', 'TeammateIdle'],
  ...['TaskCreated', 'TaskCompleted', 'PreCompact', 'PostCompact', 'PreModelSwitch', 'PostModelSwitch'],
  ...['ConfigChange', 'InstructionsLoaded', 'CwdChanged', 'FileChanged', 'DirectoryAdded'],
  ...['WorktreeCreate', 'WorktreeRemove'],
]

/** Reports a misspelt event as a mistake, and another unknown one as a warning, since engines may know more. null: it is known. */
export function unknownEvent(
  event: string,
  others: readonly string[] = [],
): { isMistake: boolean; message: string } | null {
  const known = [...others, ...hookEvents]
  if (known.includes(event)) return null
  const meant = findMisspelling(event, known)
  const what = `"${event}" is not a known event`
  if (meant === null) return { isMistake: false, message: what }
  return { isMistake: true, message: `${what} (did you mean "${meant}"?)` }
}

/** Events that only this agent has (cursor.com/docs/agent/hooks, docs.github.com/copilot/reference/hooks-configuration). */
const foreignEvents = {
  Cursor: [
    ...['beforeShellExecution', 'afterShellExecution', 'beforeMCPExecution', 'afterMCPExecution', 'beforeReadFile'],
    ...['afterFileEdit', 'beforeSubmitPrompt', 'afterAgentResponse', 'afterAgentThought'],
    ...['beforeTabFileRead', 'afterTabFileEdit'],
  ],
  'GitHub Copilot': ['userPromptSubmitted', 'agentStop', 'errorOccurred'],
} as const

type ForeignAgent = keyof typeof foreignEvents

/**
 * Says whose hooks by event these are if they are another agent's: by an event that only that agent has, else by entries without a
 * list "hooks" under an event such as preToolUse, which Copilot writes with "bash" and Cursor with "command". null: not recognised.
 */
export function findForeignHooks(events: unknown): string | null {
  if (!isJsonObject(events)) return null
  const agent = findForeignEvent(events) ?? findForeignEntry(events)
  return agent && `these are hooks of ${agent} (${Object.keys(events).join(', ')}), which do not run here`
}

function findForeignEvent(events: Readonly<Record<string, unknown>>): ForeignAgent | null {
  for (const event of Object.keys(events)) {
    if (foreignEvents.Cursor.some((one) => one === event)) return 'Cursor'
    if (foreignEvents['GitHub Copilot'].some((one) => one === event)) return 'GitHub Copilot'
  }
  return null
}

function findForeignEntry(events: Readonly<Record<string, unknown>>): ForeignAgent | null {
  for (const [event, entries] of Object.entries(events)) {
    if (!/^[a-z]+(?:[A-Z][a-z]+)+$/.test(event) || !Array.isArray(entries)) continue
    for (const entry of entries) {
      if (!isJsonObject(entry) || 'hooks' in entry) continue
      if ('bash' in entry || 'powershell' in entry || 'timeoutSec' in entry) return 'GitHub Copilot'
      if ('command' in entry) return 'Cursor'
    }
  }
  return null
}
