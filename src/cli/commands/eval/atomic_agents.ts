/** What the runner of Atomic Agents takes from its command line and environment, which golden tests come from. */
import path from 'node:path'

/** The suite's place: below the folder of --agents-root, if there is one. */
export function resolveSuitePlace({
  path: place,
  agentsRoot,
}: {
  path: string
  agentsRoot?: string | undefined
}): string {
  return agentsRoot === undefined ? place : path.join(agentsRoot, place)
}

const keyNames = {
  ATOMIC_AGENTS_ANTHROPIC_KEY: 'ANTHROPIC_API_KEY',
  ATOMIC_AGENTS_OPENAI_KEY: 'OPENAI_API_KEY',
} as const

/** Keys under Atomic Agents' names count where the provider's own variable is not set. */
export function withAtomicAgentsKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const all = { ...env }
  for (const [given, name] of Object.entries(keyNames)) {
    if (env[given] && !env[name]) all[name] = env[given]
  }
  return all
}
