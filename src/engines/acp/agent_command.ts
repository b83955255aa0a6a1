/** Reads what follows `acp:`: the name of a preset, or a command line. */
import { splitCommandLine } from '../command/command_line.ts'
import { copilotPreset } from './presets/copilot.ts'
import { geminiPreset } from './presets/gemini.ts'
import { opencodePreset } from './presets/opencode.ts'
import type { AcpPreset } from './presets/preset.ts'

const presets: Readonly<Record<string, AcpPreset>> = {
  gemini: geminiPreset,
  copilot: copilotPreset,
  opencode: opencodePreset,
}

export const presetNames: readonly string[] = Object.keys(presets)

export type AgentCommand =
  | { kind: 'preset'; preset: AcpPreset }
  | { kind: 'words'; words: [string, ...string[]] }
  | { kind: 'mistake'; mistake: string }

/** A single word that names a preset is the preset; `./gemini` or `gemini --acp` is a command. */
export function parseAgentCommand(line: string | null): AgentCommand {
  const preset = Object.hasOwn(presets, line ?? '') ? presets[line ?? ''] : undefined
  if (preset !== undefined) return { kind: 'preset', preset }
  const parsed = splitCommandLine(line)
  if ('mistake' in parsed) return { kind: 'mistake', mistake: parsed.mistake.replace('the command engine', 'acp:') }
  return { kind: 'words', words: parsed.words }
}

/** The credentials of all presets. */
export function presetCredentials(): string[] {
  return [...new Set(Object.values(presets).flatMap(({ engine }) => engine.credentials))]
}
