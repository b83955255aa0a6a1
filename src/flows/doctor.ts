/** doctor: is everything there that a benchmark needs, and how to mend what is not. Pays nothing, changes nothing. */
import { redactorFor } from '../base/redact.ts'
import { openRoom, type Room } from '../base/room.ts'
import type { Probe } from '../engines/engine.ts'
import { resolveEngineChoice } from '../engines/models.ts'
import { engineNamed, engineNames } from '../engines/table.ts'
import { pick, runEnvironment } from '../phases/2-run/environment.ts'
import type { FlowContext } from './context.ts'
import { machineFindings } from './doctor_machine.ts'

export interface DoctorRequest {
  /** name[:model]; null: each but `command`, of which nobody knows the program. */
  engine: string | null
  /** null: ./workspaces */
  workspace: string | null
}

/** ok: nothing to do; warning: something will not work or may mislead; missing: it is needed and not there. */
export interface Finding {
  name: string
  state: 'ok' | 'warning' | 'missing'
  detail: string
  /** How to mend it; null where there is nothing to mend. */
  fix: string | null
}

export interface DoctorReport {
  /** At least one engine can work, and nothing is missing that every benchmark needs. */
  ok: boolean
  /** Engines that can work, whatever else is missing. */
  working: string[]
  /** What every benchmark needs and is missing, by the names of the findings. */
  lacking: string[]
  findings: Finding[]
}

/** Looks at everything. Throws UserError only for an engine that does not exist; rejects when aborted. */
export async function doctor(request: DoctorRequest, context: FlowContext): Promise<DoctorReport> {
  await using room = await roomForQuestions()
  const asked = request.engine === null ? engineNames.filter((name) => name !== 'command') : [request.engine]
  const engines = await Promise.all(asked.map((engine) => engineFinding(engine, room, context)))
  const machine = await machineFindings({ workspace: request.workspace }, context)
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

/** The home of the programs that are asked; not in the temporary folder where that can't be used, which is a finding. null: nowhere. */
async function roomForQuestions(): Promise<Room | null> {
  for (const place of [undefined, '/tmp', '/var/tmp']) {
    const room = await openRoom(place).catch(() => null)
    if (room !== null) return room
  }
  return null
}

async function engineFinding(text: string, room: Room | null, context: FlowContext): Promise<Finding> {
  const choice = resolveEngineChoice({ engine: text, model: null })
  const name = `engine ${choice.name}`
  if (room === null) {
    const detail = 'not asked: no temporary folder can be written to'
    return { name, state: 'warning', detail, fix: 'mend the temporary folder first' }
  }
  const engine = engineNamed(choice.name)
  const answer = await engine.probe({
    model: choice.model,
    command: choice.command ?? null,
    credentials: pick(context.env, engine.credentials),
    env: runEnvironment({ user: context.env, home: room.path, mark: room.mark, passEnv: [], hidden: [] }),
    signal: context.signal,
  })
  if (answer.ok) return { name, state: 'ok', detail: answer.detail, fix: null }
  return { name, state: stateOf(answer), detail: answer.message, fix: answer.fix }
}

function stateOf({ kind }: Extract<Probe, { ok: false }>): Finding['state'] {
  return kind === 'missing_binary' || kind === 'credentials' ? 'missing' : 'warning'
}

const isSecret = (name: string) => /KEY|TOKEN/.test(name)

/** Which are set, by name. Their values are nobody's business. */
function credentialFinding(asked: readonly string[], { env }: FlowContext): Finding {
  const engines = asked.map((text) => engineNamed(resolveEngineChoice({ engine: text, model: null }).name))
  const names = [...new Set(engines.flatMap(({ credentials }) => credentials))]
  const set = names.filter((name) => env[name])
  const unset = names.filter((name) => !env[name])
  const hasKey = set.some(isSecret) || engines.every(({ name }) => name === 'command')
  const list = (some: readonly string[]) => some.join(', ') || 'none'
  return {
    name: 'credentials',
    state: hasKey ? 'ok' : 'missing',
    detail: `set: ${list(set)}; not set: ${list(unset)}`,
    fix: hasKey ? null : keyFix(names),
  }
}

function keyFix(names: readonly string[]): string {
  if (names.includes('ANTHROPIC_API_KEY')) return 'export ANTHROPIC_API_KEY=… (a key from platform.claude.com)'
  const name = names.includes('OPENAI_API_KEY') ? 'OPENAI_API_KEY' : names.find(isSecret)
  return `export ${name}=… (a key from platform.openai.com)`
}

/** `token=…`, `password: …`, `--api-key …`: what a program says of a key that nobody else knows. One of four characters or more. */
const spokenValue =
  /((?:(?:token|passw(?:or)?d|passphrase|secret|api[_-]?key)["']?\s?[=:]|--(?:token|password|secret|api-?key))\s*["']?)[^\s"',;]{4,}/gi

/** A server may say the key back, an address may hold a password, and a program may say anything. */
function withoutSecrets(finding: Finding, { env }: FlowContext): Finding {
  const values = Object.entries(env).filter(([name, value]) => isSecret(name) && (value ?? '').trim().length >= 4)
  const hide = (text: string) =>
    values
      .reduce((rest, [name, value = '']) => rest.replaceAll(value.trim(), `<${name}>`), text)
      .replaceAll(/\/\/[^/\s@]+@/g, '//…@')
  const clean = (text: string) => redactorFor(env).text(hide(text)).replaceAll(spokenValue, '$1…')
  return { ...finding, detail: clean(finding.detail), fix: finding.fix && clean(finding.fix) }
}
