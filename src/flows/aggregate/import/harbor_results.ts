/** Reads the trials of Harbor jobs: a result.json for each, with its rewards (harbor/models/trial/result.py). */
import * as z from 'zod'
import { readJson } from '../../../base/json/json.ts'
import { chooseScore } from './choose_score.ts'
import {
  type Columns,
  configurationName,
  type ImportedRun,
  type ImportedVerdict,
  secondsBetween,
  toScore,
} from './imported_run.ts'
import { findResultFiles } from './result_files.ts'

const span = z.looseObject({ started_at: z.string().nullish(), finished_at: z.string().nullish() })
const rewards = z.record(z.string(), z.union([z.number(), z.boolean()]).nullable())

const trial = z.looseObject({
  task_name: z.string(),
  trial_name: z.string(),
  agent_info: z.looseObject({
    name: z.string(),
    model_info: z.looseObject({ name: z.string() }).nullish(),
  }),
  agent_result: z
    .looseObject({
      n_input_tokens: z.number().nullish(),
      n_output_tokens: z.number().nullish(),
      cost_usd: z.number().nullish(),
    })
    .nullish(),
  verifier_result: z
    .looseObject({ rewards: rewards.nullish(), reward: z.union([z.number(), z.boolean()]).nullish() })
    .nullish(),
  exception_info: z.looseObject({ exception_type: z.string(), exception_message: z.string().nullish() }).nullish(),
  agent_execution: span.nullish(),
  ...span.shape,
})
type Trial = z.infer<typeof trial>

/** A job also has a result.json of its own, which counts the trials. */
const jobSummary = z.looseObject({ n_total_trials: z.number() })

export async function readHarborResults(place: string, { score }: Columns): Promise<ImportedRun[]> {
  const files = await findResultFiles(
    place,
    /(?:^|\/)result\.json$/,
    "a job's folder of Harbor, with <trial>/result.json",
  )
  const runs: ImportedRun[] = []
  for (const file of files) {
    const read = await readJson(z.union([trial, jobSummary]), file)
    if ('trial_name' in read) runs.push(toRun(read as Trial, file, score))
  }
  return runs
}

function toRun(read: Trial, file: string, asked: string[] | undefined): ImportedRun {
  const { agent_info: agent, agent_result: used } = read
  return {
    case: read.task_name,
    configuration: configurationName([agent.name, agent.model_info?.name]),
    prompt: null,
    verdict: toVerdict(read, file, asked),
    seconds: secondsBetween(
      read.agent_execution?.started_at ?? read.started_at,
      read.agent_execution?.finished_at ?? read.finished_at,
    ),
    tokens: used?.n_input_tokens == null ? null : used.n_input_tokens + (used.n_output_tokens ?? 0),
    costUsd: used?.cost_usd ?? null,
  }
}

/** A trial without a reward was not verified: only a timeout of the agent is the agent's own failure. */
function toVerdict(read: Trial, file: string, asked: string[] | undefined): ImportedVerdict | null {
  const { verifier_result: verified, exception_info: exception } = read
  const all = verified?.rewards ?? (verified?.reward == null ? {} : { reward: verified.reward })
  const name = chooseScore(Object.keys(all), { asked, file, preferred: 'reward' })
  const score = name === null ? null : toScore(all[name], file)
  const ended = exception == null ? '' : `, ${exception.exception_type}: ${exception.exception_message ?? ''}`
  const evidence = `${read.trial_name}${ended}`
  if (score !== null) return { text: name ?? 'reward', score, evidence, tests: [] }
  if (exception?.exception_type !== 'AgentTimeoutError') return null
  return { text: 'reward', score: 0, evidence, tests: [] }
}
