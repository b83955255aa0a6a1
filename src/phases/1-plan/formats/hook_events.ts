/** Lists the hook events of Claude Code (2.1) and recognises misspelt ones. */
import { findMisspelling } from '../../../base/text/did_you_mean.ts'

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
