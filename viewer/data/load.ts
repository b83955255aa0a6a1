/** What is fetched on demand: packs of evidence and the detail of a run, from the page itself or from a file beside it. */
import {
  type EvidencePack,
  type Page,
  type PageBefore,
  type PageDrawn,
  type PageVersions,
  pageKey,
  type RunDetail,
} from '../../schemas/page.ts'
import { answerOf } from './answer.ts'
import { at, type Model } from './model.ts'
import { trusted } from './trusted.ts'
import { parseVisible, unpack } from './unpack.ts'

declare global {
  interface Window {
    whetstone?: (key: string, data: string) => void
  }
}

/** Lets script and style of the page itself in. */
export const nonce = document.currentScript?.nonce ?? ''
const arrived = new Map<string, string>()
window.whetstone = (key, data) => void arrived.set(key, data)

/** What a newer page carries, by key. */
const replaced = new Map<string, string>()

/** Packed data that lies in the page; taken out of the document, so that it is held once. */
export function embedded(key: string): string | null {
  const newer = replaced.get(key)
  if (newer !== undefined) return newer
  const element = document.querySelector(`script[data-key="${CSS.escape(key)}"]`)
  const text = element?.textContent ?? null
  element?.remove()
  return text
}

/** Data of `report.data/<key>.js`. Rejects when the file is not there. */
function beside(key: string, stamp: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const file = `report.data/${encodeURIComponent(key)}.js`
    script.nonce = nonce
    script.src = trusted.createScriptURL(`${file}?${stamp}`)
    script.onload = () => {
      script.remove()
      const data = arrived.get(key)
      arrived.delete(key)
      if (data === undefined) reject(new Error(`${file} holds something else`))
      else resolve(data)
    }
    script.onerror = () => {
      script.remove()
      reject(new Error(`${file} is not beside this page`))
    }
    document.head.append(script)
  })
}

const packs = new Map<number, Promise<EvidencePack>>()
const details = new Map<number, Promise<RunDetail>>()
const befores = new Map<number, Promise<PageBefore>>()
const versions = new Map<number, Promise<PageVersions>>()
const samples = new Map<number, Promise<PageDrawn[]>>()
const kept = 12

/** From now on what a newer page carries is read, and what was read of the older one is forgotten. */
export function replaceEmbedded(found: ReadonlyMap<string, string>): void {
  replaced.clear()
  for (const [key, text] of found) replaced.set(key, text)
  packs.clear()
  details.clear()
  befores.clear()
  versions.clear()
  samples.clear()
}

/** Verdicts and notes of a graded run. */
export async function evidenceOf({ page }: Model, index: number): Promise<EvidencePack[number]> {
  const number = Math.floor(index / page.pack_size)
  const place = page.packs[number]
  if (place === undefined) return { expectations: [], notes: [] }
  const load = async () => {
    const key = `pack-${number}`
    const text = place === 1 ? embedded(key) : await beside(key, page.stamp)
    return parseVisible<EvidencePack>(await unpack(text ?? ''))
  }
  const pack = await remembered(packs, number, load)
  return pack[index % page.pack_size] ?? { expectations: [], notes: [] }
}

/** Transcript, outputs and records of a run; null where the page has none. */
export async function detailOf(model: Model, index: number): Promise<RunDetail | null> {
  const { detail, folder } = model.run(index)
  if (detail === 0) return null
  const load = async () => {
    const key = pageKey(folder)
    const text = detail === 1 ? embedded(key) : await beside(key, model.page.stamp)
    const value: RunDetail = JSON.parse(await unpack(text ?? ''))
    return value
  }
  return remembered(details, index, load, detail === 1).catch((error: unknown) => {
    throw new Error(`${folder}: ${error instanceof Error ? error.message : String(error)}`)
  })
}

/** The run as it was in the iteration before; null: it was not, or the page does not carry it. */
export async function beforeOf(model: Model, index: number): Promise<PageBefore | null> {
  const { page, runs } = model
  const where = runs.before?.[index] ?? 0
  if (where === 0) return null
  if (where === 3) {
    const now = await detailOf(model, index)
    return now && { answer: answerOf(now), outputs: now.outputs }
  }
  const load = async (): Promise<PageBefore> =>
    JSON.parse(await read(`before-${pageKey(at(runs.folder, index))}`, where, page))
  return remembered(befores, index, load, where === 1)
}

/** The skill as each version had it. */
export async function skillVersions({ page }: Model): Promise<PageVersions | null> {
  const where = page.extras.versions?.at ?? 0
  if (where === 0) return null
  return remembered(versions, 0, async () => JSON.parse(await read('versions', where, page)))
}

/** The decisions that are drawn for people to look at; none where there was no room for them. */
export async function auditSample({ page }: Model): Promise<PageDrawn[]> {
  const where = page.extras.audit?.at ?? 0
  return where === 0 ? [] : remembered(samples, 0, async () => JSON.parse(await read('audit', where, page)))
}

async function read(key: string, where: 1 | 2, { stamp }: Page): Promise<string> {
  return unpack((where === 1 ? embedded(key) : await beside(key, stamp)) ?? '')
}

/** What lies in the page is read once and kept; of files beside it the last dozen. */
function remembered<T>(all: Map<number, Promise<T>>, key: number, load: () => Promise<T>, always = true): Promise<T> {
  const found = all.get(key)
  if (found !== undefined) return found
  const made = load()
  all.set(key, made)
  made.catch(() => all.delete(key))
  const oldest = all.keys().next().value
  if (!always && all.size > kept && oldest !== undefined && oldest !== key) all.delete(oldest)
  return made
}
