/** Reads the images that are shown to the model with the prompt, as they are in the working folder when the agent starts. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { RunSpec } from '../../../schemas/plan.ts'
import { findImageType, imageLimits } from '../../base/fs/image_type.ts'
import type { Engine, TaskImage } from '../../engines/engine.ts'
import { assertNoSymlinkTraps, SetupError } from './workspace/symlink_traps.ts'

/** Empty for an engine that attaches none. Throws SetupError if `setup` left no such image. */
export async function readAttachedImages(
  { attach = [] }: Pick<RunSpec, 'attach'>,
  { cwd, engine }: { cwd: string; engine: Pick<Engine, 'seesImages'> },
): Promise<TaskImage[]> {
  if (engine.seesImages !== 'attached') return []
  const images: TaskImage[] = []
  for (const { path: name } of attach.filter(({ image }) => image)) images.push(await readImage(cwd, name))
  return images
}

async function readImage(cwd: string, name: string): Promise<TaskImage> {
  const file = path.join(cwd, name)
  assertNoSymlinkTraps(cwd, [file])
  const info = await stat(file).catch(() => null)
  if (!info?.isFile() || info.size > imageLimits.bytes) throw changed(name)
  const content = await readFile(file)
  const mediaType = findImageType(content)
  if (mediaType === null) throw changed(name)
  return { mediaType, data: content.toString('base64'), file }
}

function changed(name: string): SetupError {
  return new SetupError(`attached file ${name}: after setup it is not an image that can be shown`)
}
