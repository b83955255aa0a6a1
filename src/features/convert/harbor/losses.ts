/** Lists what of a case its Harbor task does not contain. */
import type { Environment, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { type VerifierPlan, workingFolder } from './verifier_spec.ts'

/** Noun phrases. */
export function listLosses(
  one: SuiteCase,
  { sandbox }: Pick<Suite, 'sandbox'>,
  { left_out, answer_file }: VerifierPlan,
): string[] {
  const lacksAnswer = answer_file !== null && one.reference !== null && one.reference.answer === undefined
  return [
    ...countKinds(left_out.map(({ kind }) => kind)),
    ...(answer_file === null ? [] : [`the final answer (the task asks for it in ${workingFolder}/${answer_file})`]),
    ...(lacksAnswer ? ['a solution that passes (its reference has no answer)'] : []),
    ...listCaseLosses(one),
    ...listEnvironmentLosses(one.environment),
    ...((sandbox?.writable ?? []).length > 0
      ? ['folders outside of the working folder that the agent may write to']
      : []),
    ...(sandbox?.only_writable === undefined ? [] : ['that the agent may only write to some folders']),
  ]
}

function countKinds(kinds: readonly string[]): string[] {
  return [...new Set(kinds)].map((kind) => {
    const count = kinds.filter((other) => other === kind).length
    return count === 1 ? kind : `${kind} (${count})`
  })
}

/** Fields that the task has, or that say nothing about it. */
const carriedFields: ReadonlySet<string> = new Set([
  ...['eval_id', 'eval_key', 'eval_name', 'prompt', 'expected_output', 'files', 'expectations', 'checks', 'reference'],
  ...['timeout_seconds', 'setup', 'git', 'environment', 'cannot_run', 'target', 'draft', 'category', 'judging'],
  ...['source', 'skill_path', 'grading_files', 'repo'],
])

/** What a field is called where its name alone does not say it. */
const fieldNames: Readonly<Record<string, string>> = {
  teardown: 'the teardown',
  attach: 'that files are attached to the prompt: the task only has them',
  collect: 'files outside of the working folder that are collected',
  quarantine: 'that it is in quarantine',
  owners: 'its owners',
  turns: 'further messages of the user: the task has only the first one',
  end_when: 'what ends the conversation',
  user: 'the simulated user: the task has only the first message',
}

function listCaseLosses(one: SuiteCase): string[] {
  return Object.entries(one).flatMap(([name, value]) =>
    value === null || value === undefined || carriedFields.has(name) ? [] : [fieldNames[name] ?? name],
  )
}

const environmentParts: Readonly<Record<string, string | null>> = {
  texts: null,
  instructions: null,
  env: null,
  skills: null,
  may_lack: null,
  files: 'files of hooks and MCP servers',
  hooks: 'hooks',
  rules: 'rules',
  agents: 'sub-agents',
  agent_texts: 'sub-agents',
  mcp_servers: 'MCP servers',
  commands: 'slash commands',
  programs: 'programs that stand in for others',
  system_prompt: 'the system prompt',
  temperature: 'the temperature',
  tools: 'the choice of tools',
} satisfies Partial<Record<keyof Environment, string | null>>

function listEnvironmentLosses(environment: Partial<Environment> = {}): string[] {
  const lost = Object.entries(environment).flatMap(([name, value]) => {
    const what = environmentParts[name] === undefined ? name : environmentParts[name]
    const isNothing = typeof value === 'object' && Object.keys(value).length === 0 && name !== 'tools'
    return value === undefined || isNothing || what === null ? [] : [what]
  })
  const multiline = Object.entries(environment.env ?? {}).filter(([, value]) => /[\r\n]/.test(value))
  return [...new Set([...lost, ...multiline.map(([name]) => `the variable ${name}, whose value has several lines`)])]
}
