/** costs: what an Atomic Agent cost by month: operational runs, helpers, evals. Writes nothing. */
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { missingPathError } from '../../base/fs/nearest_path.ts'
import { type AgentMonth, readAgentMonths } from '../../store/artefacts/agent_costs.ts'

export interface AgentCostReport {
  /** Name of its folder. */
  agent: string
  /** Oldest first. */
  months: AgentMonth[]
}

/** `folders`: agents' folders. Throws UserError for one that does not exist or has no cost at all. */
export async function readCosts(folders: readonly string[]): Promise<AgentCostReport[]> {
  const reports: AgentCostReport[] = []
  for (const folder of folders) {
    const place = path.resolve(folder)
    if (!(await pathExists(place))) throw missingPathError(folder, 'folder', "pass an agent's folder")
    const months = readAgentMonths(place)
    if (months.length === 0) {
      throw new UserError(
        `${folder}: no line with a cost in log/<month>/<day>.jsonl or evals/runs/<date>.jsonl`,
        'pass the folder of an Atomic Agent; for benchmarks: whetstone diff <workspace>',
      )
    }
    reports.push({ agent: path.basename(place), months })
  }
  return reports
}
