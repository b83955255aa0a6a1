/** Checks whether Gemini CLI can run here: the program, its version, a key. */
import { type AgentCli, type ProbeFailure, probeCli } from '../cli/agent_cli.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { geminiModel } from './model.ts'

export const geminiCli: AgentCli = {
  name: 'gemini',
  variable: 'WHETSTONE_GEMINI',
  package: '@google/gemini-cli',
  leastVersion: '0.60.0',
  update: 'npm install -g @google/gemini-cli@latest',
}

/** Checks `gemini --version` and the key; no server is asked. Rejects only when aborted. */
export function probeGemini(request: ProbeRequest): Promise<Probe> {
  return probeCli(geminiCli, request, {
    env: request.env,
    model: geminiModel(request.model),
    failure: async () => keyFailure(request),
  })
}

function keyFailure({ credentials }: ProbeRequest): ProbeFailure | null {
  if (credentials.GEMINI_API_KEY) return null
  const message = 'gemini has no key: GEMINI_API_KEY is unset (a login in the CLI is not used)'
  return { ok: false, kind: 'credentials', message, fix: 'export GEMINI_API_KEY=…' }
}
