/** Loads data on demand: packs of evidence and details of runs, from the page itself or from a file next to it. */
import {
  type EvidencePack,
  type Page,
  type PageBefore,
  type PageDrawn,
  type PageVersions,
  pageKey,
  type RunDetail,
} from '../../schemas/page.ts'
import { finalAnswer } from './answer.ts'
import { columnEntry, type Model } from './model.ts'
import { trustedPolicy } from './trusted_content.ts'
import { parseVisible, unpack } from './unpack.ts'

declare global {
  interface Window {
    whetstone?: (key: string, data: string) => void
  }
}

/** Allows the page's own script and style. */
export const nonce = document.currentScript?.nonce ?? ''
const arrivedData = new Map<string, string>()
window.whetstone = (key, data) => void arrivedData.set(key, data)

/** The data of a newer page, by key. */
const replacedData = new Map<string, string>()

/** Packed data inside the page; it leaves the document, so that only one copy is in memory. */
export function takeEmbedded(key: string): string | null {
  const newer = replacedData.get(key)
  if (newer !== undefined) return newer
  const element = document.querySelector(`script[data-key="${CSS.escape(key)}"]`)
  const text = element?.textContent ?? null
  element?.remove()
  return text
}

/** Data of `report.data/<key>.js`. Rejects if the file is missing. */
function loadSidecar(key: string, stamp: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const file = `report.data/${encodeURIComponent(key)}.js`
    script.nonce = nonce
    script.src = trustedPolicy.createScriptURL(`${file}?${stamp}`)
    script.onload = () => {
      script.remove()
      const data = arrivedData.get(key)
      arrivedData.delete(key)
      if (data === undefined) reject(new Error(`${file} holds something else`))
      else resolve(data)
    }
    script.onerror = () => {
      script.remove()
      reject(new Error(`${file} is not next to this page`))
    }
    document.head.append(script)
  })
}

const packs = new Map<number, Promise<EvidencePack>>()
const details = new Map<number, Promise<RunDetail>>()
const previousRuns = new Map<number, Promise<PageBefore>>()
const versions = new Map<number, Promise<PageVersions>>()
const samples = new Map<number, Promise<PageDrawn[]>>()
const keptFiles = 12

/** Switches to the data of a newer page, and forgets what came from the older one. */
export function replaceEmbedded(found: ReadonlyMap<string, string>): void {
  replacedData.clear()
  for (const [key, text] of found) replacedData.set(key, text)
  packs.clear()
  details.clear()
  previousRuns.clear()
  versions.clear()
  samples.clear()
}

/** Verdicts and notes of a graded run. */
export async function loadEvidence({ page }: Model, index: number): Promise<EvidencePack[number]> {
  const number = Math.floor(index / page.pack_size)
  const place = page.packs[number]
  if (place === undefined) return { expectations: [], notes: [] }
  const load = async () => {
    const key = `pack-${number}`
    const text = place === 1 ? takeEmbedded(key) : await loadSidecar(key, page.stamp)
    return parseVisible<EvidencePack>(await unpack(text ?? ''))
  }
  const pack = await loadOnce(packs, number, load)
  return pack[index % page.pack_size] ?? { expectations: [], notes: [] }
}

/** Transcript, outputs and records of a run; null: the page has none. */
export async function loadDetail(model: Model, index: number): Promise<RunDetail | null> {
  const { detail, folder } = model.run(index)
  if (detail === 0) return null
  const load = async () => {
    const key = pageKey(folder)
    const text = detail === 1 ? takeEmbedded(key) : await loadSidecar(key, model.page.stamp)
    const value: RunDetail = JSON.parse(await unpack(text ?? ''))
    return value
  }
  return loadOnce(details, index, load, detail === 1).catch((error: unknown) => {
    throw new Error(`${folder}: ${error instanceof Error ? error.message : String(error)}`)
  })
}

/** The run in the previous iteration; null: there is none, or the page does not contain it. */
export async function loadPreviousRun(model: Model, index: number): Promise<PageBefore | null> {
  const { page, runs } = model
  const where = runs.before?.[index] ?? 0
  if (where === 0) return null
  if (where === 3) {
    const now = await loadDetail(model, index)
    return now && { answer: finalAnswer(now), outputs: now.outputs }
  }
  const load = async (): Promise<PageBefore> =>
    JSON.parse(await read(`before-${pageKey(columnEntry(runs.folder, index))}`, where, page))
  return loadOnce(previousRuns, index, load, where === 1)
}

/** The skill in each version; null: the page does not contain it. */
export async function loadSkillVersions({ page }: Model): Promise<PageVersions | null> {
  const where = page.extras.versions?.at ?? 0
  if (where === 0) return null
  return loadOnce(versions, 0, async () => JSON.parse(await read('versions', where, page)))
}

/** The decisions that people should audit; empty if the page had no space for them. */
export async function loadAuditSample({ page }: Model): Promise<PageDrawn[]> {
  const where = page.extras.audit?.at ?? 0
  return where === 0 ? [] : loadOnce(samples, 0, async () => JSON.parse(await read('audit', where, page)))
}

async function read(key: string, where: 1 | 2, { stamp }: Page): Promise<string> {
  return unpack((where === 1 ? takeEmbedded(key) : await loadSidecar(key, stamp)) ?? '')
}

/** Data inside the page stays loaded; of files next to it, the last dozen. */
function loadOnce<T>(all: Map<number, Promise<T>>, key: number, load: () => Promise<T>, always = true): Promise<T> {
  const found = all.get(key)
  if (found !== undefined) return found
  const made = load()
  all.set(key, made)
  made.catch(() => all.delete(key))
  const oldest = all.keys().next().value
  if (!always && all.size > keptFiles && oldest !== undefined && oldest !== key) all.delete(oldest)
  return made
}
