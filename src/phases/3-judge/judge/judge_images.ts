/** Selects the images that a run left for its judge: attached to the question, or only named. */
import { open, readFile } from 'node:fs/promises'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { findImageType } from '../../../base/fs/image_type.ts'
import type { Engine, TaskImage } from '../../../engines/engine.ts'

/** Number of attached images, bytes of each (5 MiB in base64, the limit of providers) and of all. */
const limits = { images: 8, bytes: 3.75 * 2 ** 20, total: 15 * 2 ** 20 }

/** Names are relative to the judge's folder: `outputs/…`. */
export interface JudgeImages {
  attached: readonly (TaskImage & { name: string })[]
  /** Whether the judge's own tools open the others. */
  opens: boolean
  others: readonly string[]
}

/** Attaches the first images within the limits if the engine takes them. */
export async function readJudgeImages(
  outputs: readonly WalkedFile[],
  seesImages: Engine['seesImages'],
): Promise<JudgeImages> {
  const attached: (TaskImage & { name: string })[] = []
  const others: string[] = []
  let left = limits.total
  for (const { path, source, bytes } of outputs) {
    const mediaType = findImageType(await readStart(source))
    if (mediaType === null) continue
    const name = `outputs/${path}`
    const fits = attached.length < limits.images && bytes <= Math.min(limits.bytes, left)
    if (seesImages !== 'attached' || !fits) others.push(name)
    else {
      attached.push({ name, mediaType, data: (await readFile(source)).toString('base64') })
      left -= bytes
    }
  }
  return { attached, opens: seesImages !== undefined, others }
}

/** The same images for a model that refuses them. */
export function withoutAttachedImages({ attached, others }: JudgeImages): JudgeImages {
  return { attached: [], opens: false, others: [...attached.map(({ name }) => name), ...others] }
}

async function readStart(file: string): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
