/** doctor: checks that everything a benchmark needs is there, and how to fix what is not. Costs nothing, changes nothing. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { openTempDir, type TempDir } from '../../base/fs/temp_dir.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { type CloudGap, cloudOfModel } from '../../engines/clouds/table.ts'
import type { Probe } from '../../engines/engine.ts'
import { listCredentials, selectCredentials } from '../../engines/models/base_url.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { findEngine, listEngineNames, takesCommand } from '../../engines/table.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { probeEngine } from '../../flows/prepare/preflight.ts'
import { checkMachine, type DoctorFinding } from './machine.ts'

export interface DoctorRequest {
  /** name[:model]; null: all but `command`, whose program is not known. */
  engine: string | null
  /** null: ./workspaces. */
  workspace: string | null
}

export interface DoctorReport {
  /** At least one engine works, and nothing is missing that every benchmark needs. */
  ok: boolean
  /** Working engines, whatever else is missing. */
  working: string[]
  /** Missing things that every benchmark needs, by finding name. */
  lacking: string[]
  findings: DoctorFinding[]
}

/** Checks everything. Throws UserError only for an unknown engine; rejects when aborted. */
export async function doctor(request: DoctorRequest, context: FlowContext): Promise<DoctorReport> {
  await using tempDir = await openProbeTempDir()
  const asked = request.engine === null ? listEngineNames().filter((name) => !takesCommand(name)) : [request.engine]
  const engines = await Promise.all(asked.map((engine) => engineFinding(engine, tempDir, context)))
  const machine = await checkMachine(request.workspace, context)
  const findings = [...machine.before, ...engines, credentialFinding(asked, context), ...machine.after]
  const working = asked
    .filter((_, at) => engines[at]?.state === 'ok')
    .map((text) => resolveEngineChoice({ engine: text, model: null }).name)
  const needed = [...machine.before, ...machine.after]
  const lacking = needed.filter(({ state }) => state === 'missing').map(({ name }) => name)
  return {
    ok: working.length > 0 && lacking.length === 0,
    ...{ working, lacking },
    findings: findings.map((finding) => withoutSecrets(finding, context)),
  }
}

/** The home of the probed programs; elsewhere if the system's temp directory is unusable, which is a finding. null: nowhere. */
async function openProbeTempDir(): Promise<TempDir | null> {
  for (const place of [undefined, '/tmp', '/var/tmp']) {
    const tempDir = await openTempDir(place).catch(() => null)
    if (tempDir !== null) return tempDir
  }
  return null
}

async function engineFinding(text: string, tempDir: TempDir | null, context: FlowContext): Promise<DoctorFinding> {
  const choice = resolveEngineChoice({ engine: text, model: null })
  const name = `engine ${choice.name}`
  if (tempDir === null) {
    const detail = 'not asked: no temporary folder can be written to'
    return { name, state: 'warning', detail, fix: 'fix the temporary folder first' }
  }
  const answer = await probeEngine(choice, { place: tempDir, passEnv: [] }, context)
  if (answer.ok) {
    const detail = [answer.detail, answer.warning].filter(Boolean).join('; ')
    return { name, state: 'ok', detail, fix: null }
  }
  return { name, state: classifyProbeFailure(answer), detail: answer.message, fix: answer.fix }
}

function classifyProbeFailure({ kind }: Extract<Probe, { ok: false }>): DoctorFinding['state'] {
  return kind === 'missing_binary' || kind === 'credentials' ? 'missing' : 'warning'
}

const isSecret = (name: string) => /KEY|TOKEN/.test(name)

/** Names of the credentials that are set; never their values. */
function credentialFinding(asked: readonly string[], { env }: FlowContext): DoctorFinding {
  const choices = asked.map((text) => resolveEngineChoice({ engine: text, model: null }))
  const names = [...new Set(choices.flatMap((choice) => listCredentials(findEngine(choice.name), choice)))]
  const set = names.filter((name) => env[name])
  const unset = names.filter((name) => !env[name])
  const gap = findCloudGap(choices, env)
  const hasKey =
    gap === undefined
      ? set.some(isSecret) || choices.every(({ name }) => takesCommand(name) || findEngine(name).needsNoKey)
      : gap === null
  const list = (some: readonly string[]) => some.join(', ') || 'none'
  return {
    name: 'credentials',
    state: hasKey ? 'ok' : 'missing',
    detail: `set: ${list(set)}; not set: ${list(unset)}`,
    fix: hasKey ? null : (gap?.fix ?? keyFix(names)),
  }
}

/** What is missing for the cloud that was asked about; null: nothing; undefined: no cloud was. */
function findCloudGap(choices: readonly EngineChoice[], env: FlowContext['env']): CloudGap | null | undefined {
  const [choice, ...others] = choices
  const cloud = others.length > 0 ? null : cloudOfModel(choice?.model)
  return choice && cloud?.findGap(selectCredentials(findEngine(choice.name), choice, env))
}

function keyFix(names: readonly string[]): string {
  if (names.includes('ANTHROPIC_API_KEY')) return 'export ANTHROPIC_API_KEY=… (a key from platform.claude.com)'
  if (names.includes('OPENAI_API_KEY')) return 'export OPENAI_API_KEY=… (a key from platform.openai.com)'
  if (names.includes('GEMINI_API_KEY')) return 'export GEMINI_API_KEY=… (a key from aistudio.google.com)'
  return `export ${names.find(isSecret)}=…`
}

/** `token=…`, `password: …`, `--api-key …`: keys in a program's output that no variable holds. At least four characters. */
const inlineCredentialPattern =
  /((?:(?:token|passw(?:or)?d|passphrase|secret|api[_-]?key)["']?\s?[=:]|--(?:token|password|secret|api-?key))\s*["']?)[^\s"',;]{4,}/gi

/** A server may repeat the key, an address may contain a password, and a program may print anything. */
function withoutSecrets(finding: DoctorFinding, { env }: FlowContext): DoctorFinding {
  const withoutLogins = (text: string) => text.replaceAll(/\/\/[^/\s@]+@/g, '//…@')
  const clean = (text: string) => getRedactor(env).text(withoutLogins(text)).replaceAll(inlineCredentialPattern, '$1…')
  return { ...finding, detail: clean(finding.detail), fix: finding.fix && clean(finding.fix) }
}
