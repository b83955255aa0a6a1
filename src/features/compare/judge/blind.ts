/** Blinds text by removing whatever reveals its origin; the judge of a comparison only gets blind text. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import type { Comparison } from '../../../../schemas/comparison.ts'
import type { InputFile } from '../../../../schemas/suite.ts'
import { copyWalk, hashWalk, type WalkedFile } from '../../../base/fs/files.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import type { DocumentReading, NamedFile } from '../../../phases/3-judge/documents/document_reads.ts'
import { readDocuments } from '../../../phases/3-judge/documents/document_reads.ts'
import {
  copyWithinLimits,
  findInputFiles,
  splitByLimits,
  writeDocumentTexts,
} from '../../../phases/3-judge/judge/judge_folder.ts'

const blindText = z.string().brand<'blind'>()

/** Text from a blinder; nothing else creates it. */
export type BlindText = z.infer<typeof blindText>

export interface HiddenNames {
  configurations: readonly string[]
  skills: readonly string[]
  /** Absolute folders of the suite, the skill, the results. */
  paths: readonly string[]
  /** Everything that both agents were given; its words reveal neither of them. */
  task: readonly string[]
}

export type Blinder = (text: string) => BlindText

type Step = (text: string) => string

const mark = '[hidden]'

/** Removes longer names first, so that no part of one remains. A text without names stays unchanged. */
export function createBlinder({ configurations, skills, paths, task }: HiddenNames): Blinder {
  const told = task.join('\n')
  const places = [...paths].filter((place) => place.length > 1).sort((a, b) => b.length - a.length)
  const steps: Step[] = [
    ...places.map(
      (place): Step =>
        (text) =>
          text.replaceAll(place, mark),
    ),
    (text) => hideJoinedText(text, /\/(?:user|whetstone)-\d+[^\s/"'`()<>]*(?:\/work(?![\w-]))?/g, { right: false }),
    (text) => hideJoinedText(text, /SKILL\.md|(?<![\w-])skills\//g, { right: true }),
    ...configurations.map((name) => createReplacer(createNamePattern(name))),
    createReplacer(/\b(?:with(?:out)?|old|new|no)(?:[\s_-]+(?:the|a|an|any))?[\s_-]+skills?\b/gi),
    ...skills.flatMap((name) =>
      isPlain(name) && createNamePattern(name).test(told) ? [] : [createReplacer(createNamePattern(name))],
    ),
    ...(/\bskills?\b/i.test(told) ? [] : [createReplacer(/\bskills?\b/gi)]),
    createReplacer(/(?<![a-z0-9])run[-_]\d+(?!\d)/gi),
  ]
  return (text) => blindText.parse(steps.reduce((left, step) => step(left), text))
}

function createReplacer(pattern: RegExp): Step {
  return (text) => text.replaceAll(pattern, mark)
}

const boundary = /[\s"'`()<>|,;]/

/** Hides each match with the rest of its path on the left, and on the right if requested. Linear in the text. */
function hideJoinedText(text: string, core: RegExp, { right }: { right: boolean }): string {
  let [hidden, done] = ['', 0]
  for (const match of text.matchAll(core)) {
    let [start, end] = [match.index, match.index + match[0].length]
    if (end <= done) continue
    while (start > done && !boundary.test(text.charAt(start - 1))) start -= 1
    while (right && end < text.length && !boundary.test(text.charAt(end))) end += 1
    hidden += `${text.slice(done, Math.max(done, start))}${mark}`
    done = end
  }
  return hidden + text.slice(done)
}

/** A one-word name, such as pdf, may be a word of the task; a name of several words cannot. */
function isPlain(name: string): boolean {
  return /^[a-z0-9]+$/i.test(name)
}

/** Matches the name as a whole word, however its parts are joined, but not as a file extension. */
function createNamePattern(name: string): RegExp {
  const words = name.split(/[-_\s]+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return new RegExp(`(?<![\\w.])${words.join('[-_\\s]?')}(?![a-z0-9])`, 'gi')
}

/** What one agent delivered. */
export interface Delivery {
  response: string
  outputs: readonly WalkedFile[]
}

/** Facts about a delivery for the judge's prompt. */
export interface ShownDelivery {
  hasResponse: boolean
  hasOutputs: boolean
  /** Whether its documents have texts that can be read. */
  hasTexts: boolean
  /** Names of files that are too large to show. */
  leftOut: readonly BlindText[]
}

export interface ComparisonTempDir extends AsyncDisposable {
  /** The judge's working folder, absolute: D1/, D2/ and inputs/. */
  cwd: string
  mark: string
  /** In the order of the request. */
  shown: readonly [ShownDelivery, ShownDelivery]
  hasInputs: boolean
}

/** Only the order of the deliveries differs between two judgements. */
export interface ComparisonTempDirRequest extends DocumentReading {
  deliveries: readonly [Delivery, Delivery]
  inputs: readonly InputFile[]
  blind: Blinder
}

/** Creates the temp directory. Use with `await using`; a failure in between leaves nothing behind. */
export async function openComparisonTempDir({
  deliveries,
  inputs,
  blind,
  ...reading
}: ComparisonTempDirRequest): Promise<ComparisonTempDir> {
  const tempDir = await openTempDir()
  try {
    const cwd = path.join(tempDir.path, 'work')
    const given = await copyWithinLimits((await findInputFiles(inputs)).files, path.join(cwd, 'inputs'))
    return {
      cwd,
      mark: tempDir.mark,
      shown: [
        await fill(path.join(cwd, 'D1'), deliveries[0], { blind, ...reading }),
        await fill(path.join(cwd, 'D2'), deliveries[1], { blind, ...reading }),
      ],
      hasInputs: given.copied.length > 0,
      [Symbol.asyncDispose]: () => tempDir[Symbol.asyncDispose](),
    }
  } catch (error) {
    await tempDir[Symbol.asyncDispose]()
    throw error
  }
}

async function fill(
  folder: string,
  { response, outputs }: Delivery,
  { blind, ...reading }: Pick<ComparisonTempDirRequest, 'blind' | keyof DocumentReading>,
): Promise<ShownDelivery> {
  await mkdir(folder, { recursive: true })
  const hasResponse = response.trim() !== ''
  if (hasResponse) await writeFile(path.join(folder, 'response.md'), blind(response))
  const target = path.join(folder, 'outputs')
  const { kept, leftOut } = splitByLimits(outputs)
  const taken = new Set<string>()
  const named: NamedFile[] = []
  for (const file of kept) {
    const place = freeName(blind(file.path), taken)
    named.push({ name: place, file: file.source })
    const text = await readDeliveryText(file.source)
    if (text === null) await copyWalk([{ ...file, path: place }], target)
    else {
      await mkdir(path.dirname(path.join(target, place)), { recursive: true })
      await writeFile(path.join(target, place), blind(text))
    }
  }
  const { texts } = await readDocuments(named, reading)
  const blinded = new Map([...texts].map(([name, text]) => [name, blind(text)]))
  await writeDocumentTexts(path.join(folder, 'texts'), blinded)
  return {
    hasResponse,
    hasOutputs: kept.length > 0,
    hasTexts: texts.size > 0,
    leftOut: leftOut.map((file) => blind(file.path)),
  }
}

/** Keeps files apart whose names differ only in a hidden part. */
function freeName(name: string, taken: Set<string>): string {
  const { dir, name: stem, ext } = path.posix.parse(name)
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = path.posix.join(dir, `${stem}-${number}${ext}`)
  taken.add(free)
  return free
}

/** null: not text, so it cannot be blinded. */
async function readDeliveryText(file: string): Promise<string | null> {
  const bytes = await readFile(file)
  if (bytes.subarray(0, 8192).includes(0)) return null
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? null : text
}

/** Size of a delivery before blinding. */
export function measureDelivery({ response, outputs }: Delivery): NonNullable<Comparison['lengths']>['A'] {
  const bytes = outputs.reduce((sum, file) => sum + file.bytes, 0)
  return { response_chars: response.length, files: outputs.length, bytes }
}

/** Hex sha256 of everything that a judge may see of a delivery. */
export async function hashDelivery({ response, outputs }: Delivery): Promise<string> {
  return sha256(canonicalJson({ response, outputs: await hashWalk([...outputs]) }))
}
