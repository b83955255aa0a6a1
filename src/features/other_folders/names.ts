/** Tables of the names that other tools and people use for the same things: first match wins. */

export const listNames = ['expectations', 'assertion_results', 'assertions', 'evaluations', 'results', 'criteria']
export const runListNames = ['runs', 'evaluations', 'results']
export const textNames = [
  'text',
  'assertion',
  'expectation',
  'statement',
  'description',
  'criterion',
  'name',
  'check',
  'id',
]
export const evidenceNames = ['evidence', 'reason', 'reasoning', 'explanation', 'justification', 'notes', 'details']
export const verdictNames = ['passed', 'pass', 'met', 'satisfied', 'success', 'verdict', 'status', 'result', 'grade']
export const configurationNames = ['configuration', 'config', 'condition', 'variant', 'arm']
export const runNumberNames = ['run_number', 'run', 'run_id']
export const passedNames = ['passed', 'passed_count', 'pass_count', 'assertions_passed']
export const failedNames = ['failed', 'failed_count', 'fail_count', 'assertions_failed']
export const totalNames = ['total', 'total_count', 'count', 'assertions_total']
export const rateNames = ['pass_rate', 'overall_pass_rate', 'passRate']
export const percentNames = ['pass_percent', 'pass_percentage', 'percent', 'percentage']

// Names of measures also match in camel case: `durationMs` is `duration_ms`.
export const tokenNames = [
  'total_tokens',
  'tokens',
  'tokens_total',
  'total_token_count',
  'total_tokens_used',
  'tokens_used',
  'token_count',
]
/** Kinds of tokens that add up to the total, when no total is given. */
export const tokenParts = [
  ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
  ['prompt_tokens', 'completion_tokens'],
  ['input', 'output', 'cache_read', 'cache_write'],
]
export const secondsNames = [
  'total_duration_seconds',
  'duration_seconds',
  'elapsed_seconds',
  'time_seconds',
  'wall_time_seconds',
  'wall_clock_seconds',
  'executor_duration_seconds',
  'duration_s',
  'seconds',
]
export const millisecondsNames = [
  'duration_ms',
  'elapsed_ms',
  'total_duration_ms',
  'wall_time_ms',
  'time_ms',
  'latency_ms',
]
export const costNames = ['total_cost_usd', 'cost_usd', 'cost']

/** Words for a verdict, lower case. Other words are undecided. */
export const passWords = ['pass', 'passed', 'true', 'yes', 'met', 'satisfied', 'success', 'ok', '✓', '✅']
export const failWords = ['fail', 'failed', 'false', 'no', 'not met', 'unmet', 'not satisfied', 'failure', '✗', '❌']

/** Folders of a path that name neither case nor configuration. */
export const unnamedFolders = ['runs', 'results', 'evals', 'benchmarks', 'workspace']
