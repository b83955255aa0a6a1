/** Selects the images that a run left for its judge: attached to the question, or only named. */
import { readFile } from 'node:fs/promises'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { findFileImageType, imageLimits, type TaskImage } from '../../../base/fs/image_type.ts'
import type { Engine } from '../../../engines/engine.ts'

/** The most images that are attached. */
const mostImages = 8

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
  let left = imageLimits.total
  for (const { path, source, bytes } of outputs) {
    const mediaType = await findFileImageType(source)
    if (mediaType === null) continue
    const name = `outputs/${path}`
    const fits = attached.length < mostImages && bytes <= Math.min(imageLimits.bytes, left)
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
