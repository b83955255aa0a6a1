/** evals/runs/ of an Atomic Agent: appends lines, writes responses under new names, and never overwrites. */
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type * as z from 'zod'
import { type GoldenAuditLine, type GoldenRunLine, goldenAuditLine, goldenRunLine } from '../../../schemas/golden.ts'
import { errnoCode } from '../../base/errors/error.ts'
import { listEntries } from '../../base/fs/files.ts'
import { assertWritable } from '../../base/fs/writable.ts'
import { checkAs, tryParseJson } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'

/** Throws UserError when the lines of a day can't be written below an agent's evals/. Checked before tests are paid for. */
export function refuseUnloggable({ root }: { root: string }, now: Date): void {
  const evals = path.join(root, 'evals')
  const runs = path.join(evals, 'runs')
  const folders = [runs, path.join(runs, 'responses')].map((place) => ({ place, kind: 'folder' as const }))
  const names = [`${formatLocalDate(now)}.jsonl`, 'audit_log.jsonl']
  const files = names.map((name) => ({ place: path.join(runs, name), kind: 'file' as const }))
  assertWritable(
    evals,
    [...folders, ...files],
    'golden tests write their results there: make it writable, or run a copy of the agent',
  )
}

/** `evals`: that of the agent, absolute. Lines that can't be read are left out. */
export function openGoldenRuns(evals: string) {
  const runs = path.join(evals, 'runs')
  const audit = path.join(runs, 'audit_log.jsonl')
  const fileOf = (date: string) => path.join(runs, `${date}.jsonl`)
  return {
    /** Returns the file's path relative to evals/; a second one of a day gets -2. */
    async keepResponse(date: string, testId: string, text: string): Promise<string> {
      await mkdir(path.join(runs, 'responses'), { recursive: true })
      for (let number = 1; ; number += 1) {
        const name = `runs/responses/${date}_${testId}${number === 1 ? '' : `-${number}`}.txt`
        try {
          await writeFile(path.join(evals, name), text, { flag: 'wx' })
          return name
        } catch (error) {
          if (errnoCode(error) !== 'EEXIST') throw error
        }
      }
    },
    linesOf: (date: string) => readKnownLines(fileOf(date), goldenRunLine),
    /** The file of a day's lines, absolute. */
    fileOf,
    async append(date: string, lines: readonly GoldenRunLine[]): Promise<void> {
      const file = fileOf(date)
      const checked = lines.map((line) => checkAs(goldenRunLine, line, file))
      await appendLines(file, checked)
    },
    keepSample: (lines: readonly GoldenAuditLine[]) => appendLines(audit, lines),
    /** Verdicts with a score in the lines of all days. */
    countDecided(): number {
      const days = listEntries(runs).filter(({ name }) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name))
      return days.flatMap(({ name }) => readKnownLines(path.join(runs, name), goldenRunLine).filter(isDecided)).length
    },
    /** Each sample once: the last line about it counts. */
    samples(): GoldenAuditLine[] {
      const lines = readKnownLines(audit, goldenAuditLine)
      return [...new Map(lines.map((line) => [`${line.ts} ${line.test_id}`, line])).values()]
    },
  }
}

export function isDecided({ verdict, scores, weighted_score }: GoldenRunLine): boolean {
  return verdict !== 'judge_error' && weighted_score !== null && Object.keys(scores).length > 0
}

/** The date in the user's time zone: 2026-05-01. */
export function formatLocalDate(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** Starts a new line after one that was cut off. */
async function appendLines(file: string, lines: readonly unknown[]): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  if (lines.length === 0) return
  const isCut = existsSync(file) && !/(^|\n)$/.test(readFileSync(file, 'utf8').slice(-1))
  await appendFile(file, `${isCut ? '\n' : ''}${lines.map((line) => `${jsonText(line)}\n`).join('')}`)
}

/** Skips lines that can't be read, and tells `unread` once; empty when the file is missing. */
export function readKnownLines<S extends z.ZodType>(file: string, schema: S, unread = () => {}): z.infer<S>[] {
  const texts = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const read = texts.filter((text) => text.trim() !== '').map((text) => schema.safeParse(tryParseJson(text)))
  if (read.some(({ success }) => !success)) unread()
  return read.flatMap(({ success, data }) => (success ? [data] : []))
}
