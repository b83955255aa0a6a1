/** Finds text in a run's outputs that tries to instruct the judge, by rules, because a judge may obey it. */
import type { InjectionAttempt } from '../../../../schemas/grading.ts'
import { findAttempts, findNameOrder } from '../../../base/text/injection_rules.ts'
import { readableVersions } from '../../../base/text/readable_text.ts'
import { type DocumentReading, readDocuments } from '../documents/document_reads.ts'
import { type EvidenceFile, evidenceFiles, findLineNumber } from '../evidence/verify_evidence.ts'
import { listRunOutputs } from '../judge/judge_folder.ts'

type Rule = InjectionAttempt['rule']

export interface InjectionSources {
  /** Text files of the run; `inputs/` are not searched. */
  files: readonly EvidenceFile[]
  /** All files that the agent left, relative to the run's folder. */
  names: readonly string[]
  /** The user's prompt: text that occurs in it is not an attempt. */
  prompt: string
}

const mostAttempts = 20

interface TaskSubject {
  text: string
  /** The task is about grading or tests, so verdicts and rubrics are legitimate output. */
  grading: boolean
}

const aboutGrading =
  /\b(?:grade[sdr]?|grading|graders|evals?|verdicts?|rubrics?|judges?|expectations?|assertions?|passed|pass\/fail|evidence|quiz(?:zes)?|exams?|scor(?:es?|ing))\b/i

function isRequestedByTask({ rule, said }: { rule: Rule; said: string }, { text, grading }: TaskSubject): boolean {
  return (grading && (rule === 'verdict' || rule === 'file_name')) || text.includes(foldWhitespace(said))
}

/** The first attempt of each rule in each file, at most 20. */
export function findInjectionAttempts({ files, names, prompt }: InjectionSources): InjectionAttempt[] {
  const asked = { text: foldWhitespace(prompt), grading: aboutGrading.test(prompt) }
  const found: InjectionAttempt[] = []
  for (const name of names) {
    if (!isSuspiciousName(name.slice(name.indexOf('/') + 1), asked)) continue
    found.push({ rule: 'file_name', file: escapeInvisible(name), line: null, text: escapeInvisible(name) })
  }
  for (const file of files) if (!file.path.startsWith('inputs/')) found.push(...searchEvidenceFile(file, asked))
  return found.slice(0, mostAttempts)
}

/** Characters to search at each end of a long file. */
const searchedCharacters = 500_000

function searchEvidenceFile(file: EvidenceFile, asked: TaskSubject): InjectionAttempt[] {
  const searchable = file.load()
  if (searchable === null) return []
  const { text, from } = searchable
  const starts = text.length - from <= 2 * searchedCharacters ? [from] : [from, text.length - searchedCharacters]
  const found = new Map<Rule, InjectionAttempt>()
  for (const start of starts) {
    const part = text.slice(start, start + (starts.length === 1 ? 2 * searchedCharacters : searchedCharacters))
    const linesBefore = findLineNumber(text, start) - 1
    for (const version of readableVersions(part)) {
      const counts = (rule: Rule, said: string) => !found.has(rule) && !isRequestedByTask({ rule, said }, asked)
      for (const { rule, index, line: shown } of findAttempts(version, counts)) {
        if (found.has(rule)) continue
        const line = linesBefore + version.lineAt(index) + 1
        found.set(rule, { rule, file: file.path, line, text: escapeInvisible(shown) })
      }
    }
  }
  return [...found.values()]
}

/** File names that the judge's own files have. */
const ownName =
  /(?:^|\/)((?:rubric|answer[-_ ]?key|grading|verdicts?|expectations?|harness_notes|judge))\.(?:md|txt|jsonl?|ya?ml)$/i

function isSuspiciousName(name: string, asked: TaskSubject): boolean {
  if (/[\r\n]/.test(name)) return true
  const own = ownName.exec(name)?.[1]
  if (own !== undefined && !isRequestedByTask({ rule: 'file_name', said: own }, asked)) return true
  return readableVersions(name).some((version) => {
    const order = findNameOrder(version)
    return order !== null && !asked.text.includes(foldWhitespace(order))
  })
}

function foldWhitespace(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_*`"'-]+/g, ' ')
}

function escapeInvisible(text: string): string {
  const line = JSON.stringify(text).slice(1, -1)
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}

/** Searches the transcript and the outputs. Reads one file after another; of a long file both ends. */
export async function searchRun({
  runFolder,
  prompt,
  ...reading
}: DocumentReading & {
  runFolder: string
  prompt: string
}): Promise<InjectionAttempt[]> {
  const outputs = await listRunOutputs(runFolder)
  const named = outputs.map((file) => ({ name: `outputs/${file.path}`, file: file.source }))
  const { texts } = await readDocuments(named, reading)
  const files = evidenceFiles({ runFolder, prompt, outputs, inputs: [], texts })
  return findInjectionAttempts({ files, names: outputs.map((file) => `outputs/${file.path}`), prompt })
}
