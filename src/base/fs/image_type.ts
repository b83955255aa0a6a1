/** Recognises images by their first bytes. */

/** Media types of the images that model providers accept. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** The type by the content, not by the name: a wrong type would make a server refuse the whole conversation. null: no such image. */
export function findImageType(content: Buffer): ImageType | null {
  const start = content.subarray(0, 12).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : null
}
