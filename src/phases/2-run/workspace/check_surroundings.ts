/** Gives command checks what the case gave the agent: its variables, and the suite's programs first on PATH. */
import path from 'node:path'
import type { Environment } from '../../../../schemas/suite.ts'
import type { VariableTrust } from '../../../base/secrets/suite_variables.ts'
import { buildCaseEnvironment } from './case_environment.ts'
import { installPrograms } from './install_programs.ts'

export interface CheckSurroundings {
  /** For setup and command checks. */
  env: Record<string, string>
  /** Installs the programs, once. Rejects with SetupError if they have changed since the plan. */
  install: () => Promise<void>
}

/** `folder`: the temp directory, absolute. Calls are not recorded: they are not the agent's. */
export function openCheckSurroundings(
  base: Readonly<Record<string, string>>,
  environment: Environment | undefined,
  { folder, trust }: { folder: string; trust: VariableTrust },
): CheckSurroundings {
  const programsFolder = path.join(folder, 'programs')
  const { env } = buildCaseEnvironment(base, environment, { folder: programsFolder, trust })
  let installed: Promise<void> | undefined
  return {
    env,
    install() {
      const { programs } = environment ?? {}
      installed ??=
        programs === undefined ? Promise.resolve() : installPrograms(programs, { folder: programsFolder, log: null })
      return installed
    },
  }
}
