/** Recognises images by their first bytes, and says how large they may be. */
import { open } from 'node:fs/promises'

/** Media types of the images that model providers accept. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** An image in a message or in a tool's result. */
export interface TaskImage {
  mediaType: ImageType
  /** base64 */
  data: string
  /** The same image as a file in the working folder, absolute; absent: it is in none. */
  file?: string
}

/** The type by the content, not by the name: a wrong type would make a server refuse the whole conversation. null: no such image. */
export function findImageType(content: Buffer): ImageType | null {
  const start = content.subarray(0, 12).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : null
}

/** Bytes of an attached image (5 MiB in base64, the limit of providers) and of all images of a message. */
export const imageLimits = { bytes: 3.75 * 2 ** 20, total: 15 * 2 ** 20 }

/** Reads only the start of the file. */
export async function findFileImageType(file: string): Promise<ImageType | null> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0)
    return findImageType(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}
