/** The one list of features: what few users meet, beside the core. To remove one, delete its folder, its tests and its rows here. */
import type { Flags } from '../cli/commands/options/flag.ts'
import type { AddCommand } from '../cli/commands/options/run_flow.ts'
import { addEngines } from '../engines/table.ts'
import { addSessionFormats } from '../flows/sessions/read_sessions.ts'
import { addSuiteFormats } from '../phases/1-plan/formats/table.ts'
import { auditFlags } from './audit/options.ts'
import { copilot } from './copilot/copilot.ts'
import { gemini } from './gemini/gemini.ts'
import { opencode } from './opencode/opencode.ts'
import { opencodeSessions } from './opencode/sessions.ts'
import { testFlags } from './package_tests/options.ts'
import { pi } from './pi/pi.ts'
import { pruneFlags } from './prune/options.ts'
import { qwen } from './qwen/qwen.ts'
import { watchFlags } from './watch/options.ts'

interface FeatureCommand {
  /** Loads its command.ts. */
  load: () => Promise<AddCommand>
  /** Those that whetstone.config.yaml can set; absent: it does not read the file. */
  flags?: Flags
}

/** By name, in the order of the help. */
export const featureCommands: Readonly<Record<string, FeatureCommand>> = {
  audit: { load: async () => (await import('./audit/command.ts')).addAudit, flags: auditFlags },
  clean: { load: async () => (await import('./clean/command.ts')).addClean },
  test: { load: async () => (await import('./package_tests/command.ts')).addTest, flags: testFlags },
  rank: { load: async () => (await import('./rank/command.ts')).addRank },
  watch: { load: async () => (await import('./watch/command.ts')).addWatch, flags: watchFlags },
  prune: { load: async () => (await import('./prune/command.ts')).addPrune, flags: pruneFlags },
  convert: { load: async () => (await import('./convert/command.ts')).addConvert },
  costs: { load: async () => (await import('./costs/command.ts')).addCosts },
  github: { load: async () => (await import('./github/command.ts')).addGithub },
  mcp: { load: async () => (await import('./mcp/command.ts')).addMcp },
  'record-mcp': { load: async () => (await import('./record_mcp/command.ts')).addRecordMcp },
}

/** Adds the rows of features to the tables of the core; the command line, the library and the tests call it first. */
export function addFeatures(): void {
  addEngines({
    opencode,
    pi,
    copilot,
    gemini,
    qwen,
  })
  addSuiteFormats({})
  addSessionFormats({
    opencode: opencodeSessions,
  })
}
