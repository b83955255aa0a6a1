/** Reads the trials of Harbor jobs (harbor/models/trial/result.py) and of Terminal-Bench: a result.json or results.json for each. */
import path from 'node:path'
import * as z from 'zod'
import { pathExists } from '../../base/fs/files.ts'
import { readJson } from '../../base/json/json.ts'
import type { Columns, ImportedRun, ImportedVerdict } from '../../flows/aggregate/import_results.ts'
import { chooseScore, configurationName, findResultFiles, secondsBetween, toScore } from './reading.ts'

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
      n_input_tokens: z.number().nonnegative().nullish(),
      n_output_tokens: z.number().nonnegative().nullish(),
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

/** Ends after which Harbor itself takes no reward for valid (0.26, harbor/models/trial/error_policy.py): rate limits, memory, set-up. */
const invalidEnds = new Set(
  `EnvironmentStartTimeoutError SandboxBuildFailedError AgentSetupTimeoutError HealthcheckError
   SandboxLikelyOutOfMemoryError MemoryLimitExceededError SSHAccessError GKEExecStreamClosedError
   GKEPodNotFoundError RuntimeRequestError AddTestsDirError DownloadVerifierDirError ApiError
   ApiRateLimitError ApiInternalServerError ApiOverloadedError ApiConnectionClosedError
   ApiResponseStalledError UnknownApiError NetworkConnectionError ApiConnectionError ApiUsageLimitError
   RateLimitError InternalServerError ServiceUnavailableError APIConnectionError APIError Timeout
   UnsupportedModelParametersError BadRequestError UnprocessableEntityError UnsupportedParamsError
   APIResponseValidationError BudgetExceededError VerifierTimeoutError RewardFileNotFoundError
   RewardFileEmptyError VerifierOutputParseError AgentAuthenticationError ModelNotFoundError
   ApiProviderResourceNotFoundError AuthenticationError PermissionDeniedError NotFoundError
   ServiceOperationsUnsupportedError VercelScopeError DspyImportError MissingExtraError RegradeError
   CancelledError`.split(/\s+/),
)

/** A trial without a valid reward was not verified: only a timeout of the agent is the agent's own failure. */
function toVerdict(read: Trial, file: string, asked: string[] | undefined): ImportedVerdict | null {
  const { verifier_result: verified, exception_info: exception } = read
  if (exception != null && invalidEnds.has(exception.exception_type)) return null
  const all = verified?.rewards ?? (verified?.reward == null ? {} : { reward: verified.reward })
  const name = chooseScore(Object.keys(all), { asked, file, preferred: 'reward' })
  const score = name === null ? null : toScore(all[name], file)
  const ended = exception == null ? '' : `, ${exception.exception_type}: ${exception.exception_message ?? ''}`
  const evidence = `${read.trial_name}${ended}`
  if (score !== null) return { text: name ?? 'reward', score, evidence, tests: [] }
  if (exception?.exception_type !== 'AgentTimeoutError') return null
  return { text: 'reward', score: 0, evidence, tests: [] }
}

const benchTrial = z.looseObject({
  trial_name: z.string(),
  task_id: z.string(),
  instruction: z.string().nullish(),
  is_resolved: z.boolean().nullish(),
  failure_mode: z.string().nullish(),
  parser_results: z.record(z.string(), z.string()).nullish(),
  total_input_tokens: z.number().nonnegative().nullish(),
  total_output_tokens: z.number().nonnegative().nullish(),
  agent_started_at: z.string().nullish(),
  agent_ended_at: z.string().nullish(),
})
const whole = z.looseObject({ results: z.array(benchTrial) })
const metadata = z.looseObject({ agent_name: z.string().nullish(), model_name: z.string().nullish() })

/** Ends of the agent's own: such a trial counts as failed even without a verdict. */
const ownEnds = ['agent_timeout', 'context_length_exceeded', 'output_length_exceeded']

export async function readTerminalBenchResults(place: string): Promise<ImportedRun[]> {
  const files = await findResultFiles(
    place,
    /(?:^|\/)results\.json$/,
    "a run's folder of Terminal-Bench, with results.json",
  )
  const runs: ImportedRun[] = []
  for (const file of files) {
    const read = await readJson(z.union([whole, benchTrial]), file)
    // beside the whole, each trial has a results.json with the same content
    if (!('results' in read)) continue
    const beside = path.join(path.dirname(file), 'run_metadata.json')
    const known = (await pathExists(beside)) ? await readJson(metadata, beside) : null
    const names = known === null ? [path.basename(path.dirname(file))] : [known.agent_name, known.model_name]
    runs.push(...(read as z.infer<typeof whole>).results.map((one) => toBenchRun(one, configurationName(names))))
  }
  return runs
}

function toBenchRun(read: z.infer<typeof benchTrial>, configuration: string): ImportedRun {
  return {
    case: read.task_id,
    configuration,
    prompt: read.instruction ?? null,
    verdict: toBenchVerdict(read),
    seconds: secondsBetween(read.agent_started_at, read.agent_ended_at),
    tokens: read.total_input_tokens == null ? null : read.total_input_tokens + (read.total_output_tokens ?? 0),
    costUsd: null,
  }
}

function toBenchVerdict(read: z.infer<typeof benchTrial>): ImportedVerdict | null {
  const mode = read.failure_mode ?? 'unset'
  const isOwnEnd = ownEnds.includes(mode)
  if (read.is_resolved == null && !isOwnEnd) return null
  const tests = Object.entries(read.parser_results ?? {}).map(([text, status]) => ({
    text,
    passed: status === 'passed',
  }))
  const evidence = ['unset', 'none'].includes(mode) ? read.trial_name : `${read.trial_name}, ${mode}`
  return { text: 'resolved', score: read.is_resolved === true ? 1 : 0, evidence, tests }
}
