/** evals/runs/ of an Atomic Agent: lines appended, responses under names that nobody had; nothing there is ever overwritten. */
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { z } from 'zod'
import { type GoldenAuditLine, type GoldenRunLine, goldenAuditLine, goldenRunLine } from '../../schemas/golden.ts'
import { codeOf } from '../base/error.ts'
import { checkAs } from '../base/json.ts'
import { refuseUnwritable } from '../base/writable.ts'

/** The agent's evals/. */
export interface GoldenRuns {
  /** Gives its path relative to evals/; a second one of a day gets -2. */
  keepResponse(date: string, testId: string, text: string): Promise<string>
  /** The lines of a day; what can't be read is passed over. */
  linesOf(date: string): GoldenRunLine[]
  /** Of a day's lines, absolute. */
  fileOf(date: string): string
  append(date: string, lines: readonly GoldenRunLine[]): Promise<void>
  keepSample(lines: readonly GoldenAuditLine[]): Promise<void>
  /** Those that nobody looked at; the last line of a verdict counts, lines that can't be read are passed over. */
  openSamples(): GoldenAuditLine[]
}

/** Throws UserError where the lines of a day can't be written below an agent's evals/, which is asked before tests are paid for. */
export function refuseBadRuns(evals: string, date: string): void {
  const runs = path.join(evals, 'runs')
  const folders = [runs, path.join(runs, 'responses')].map((place) => ({ place, kind: 'folder' as const }))
  const names = [`${date}.jsonl`, 'audit_log.jsonl']
  const files = names.map((name) => ({ place: path.join(runs, name), kind: 'file' as const }))
  refuseUnwritable(
    evals,
    [...folders, ...files],
    'golden tests leave their lines there: mend that, or run a copy of the agent',
  )
}

export function openGoldenRuns(evals: string): GoldenRuns {
  const runs = path.join(evals, 'runs')
  const audit = path.join(runs, 'audit_log.jsonl')
  const fileOf = (date: string) => path.join(runs, `${date}.jsonl`)
  return {
    async keepResponse(date, testId, text) {
      await mkdir(path.join(runs, 'responses'), { recursive: true })
      for (let number = 1; ; number += 1) {
        const name = `runs/responses/${date}_${testId}${number === 1 ? '' : `-${number}`}.txt`
        try {
          await writeFile(path.join(evals, name), text, { flag: 'wx' })
          return name
        } catch (error) {
          if (codeOf(error) !== 'EEXIST') throw error
        }
      }
    },
    linesOf: (date) => linesIn(fileOf(date), goldenRunLine),
    fileOf,
    async append(date, lines) {
      const file = fileOf(date)
      const checked = lines.map((line) => checkAs(goldenRunLine, line, file))
      await mkdir(runs, { recursive: true })
      if (checked.length > 0) await appendLines(file, checked)
    },
    async keepSample(lines) {
      if (lines.length === 0) return
      await mkdir(runs, { recursive: true })
      await appendLines(audit, lines)
    },
    openSamples() {
      const open = new Map<string, GoldenAuditLine>()
      for (const line of linesIn(audit, goldenAuditLine)) {
        const key = `${line.ts} ${line.test_id}`
        if (line.human === null) open.set(key, line)
        else open.delete(key)
      }
      return [...open.values()]
    },
  }
}

/** After a line that was cut off it begins a new one. */
async function appendLines(file: string, lines: readonly unknown[]): Promise<void> {
  const isCut = existsSync(file) && !/(^|\n)$/.test(readFileSync(file, 'utf8').slice(-1))
  await appendFile(file, `${isCut ? '\n' : ''}${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`)
}

/** What can't be read is passed over; none where there is no file. */
export function linesIn<S extends z.ZodType>(file: string, schema: S): z.infer<S>[] {
  const texts = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return texts.flatMap((text) => {
    try {
      const read = schema.safeParse(JSON.parse(text))
      return read.success ? [read.data] : []
    } catch {
      return []
    }
  })
}
