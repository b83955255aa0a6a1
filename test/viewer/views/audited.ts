/** A benchmark whose every verdict is a judge's, as often as a test wants it, with what people say of them. */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type AuditLine, auditLine } from '../../../schemas/audit.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

const judge = `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges/lenient.mjs')} bad wrong`
const expectations = ['it is neat', 'it is whole', 'it is bad', 'it is wrong']
const evals = ['one', 'two'].map((name, index) => ({ id: index + 1, name, prompt: name, expectations }))

export interface Audited {
  workspace: string
  folder: string
  report: string
  log: string
  lines(): AuditLine[]
}

export interface Decision {
  id: string
  run_id: string
}

/** Gives copies of a benchmark that is made once: two cases, two runs an arm. */
export async function benchJudged(): Promise<() => Audited> {
  const original = path.join(fresh(), 'ws')
  const flags = ['--engine', tidyAgent, '--judge', judge, '--runs', '2', '--sandbox', 'off']
  const end = await runMain(['bench', makeSkill(evals), ...flags, '--workspace', original])
  if (end.code !== 0) throw new Error(end.stderr)
  return () => {
    const workspace = path.join(fresh(), 'ws')
    cpSync(original, workspace, { recursive: true })
    const log = path.join(workspace, 'audit_log.jsonl')
    const folder = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
    const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [])
    const report = path.join(folder, 'report.html')
    return { workspace, folder, report, log, lines: () => lines().map((line) => auditLine.parse(JSON.parse(line))) }
  }
}

/** What `audit` asks people about. */
export async function listDecisions(workspace: string, ...flags: string[]): Promise<Decision[]> {
  const end = await runMain(['audit', workspace, '--json', ...flags])
  const lines = end.stdout.trim().split('\n')
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'decision')
}

export const addressOf = ({ run_id }: Decision) =>
  run_id.replace(/^eval-(\d+)-\w+\/(\w+)\/run-(\d+)$/, '#/run/$1/$2/$3')
