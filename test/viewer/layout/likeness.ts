/** How far two pictures are apart, seen from a distance: what fonts and versions of a browser change at the edges does not count. */
import type { Page } from 'playwright-core'

/** A quarter of the size, so that four pixels become one. */
const distance = 4
/** Of 255: what is further off in a channel is another colour. */
const near = 32

/** The share of the picture that differs, 0 to 1; 1 where the sizes do. `page`: any, its canvas is used. */
export function apart(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const urls = [one, other].map((png) => `data:image/png;base64,${png.toString('base64')}`)
  return page.evaluate<number>(`(async () => {
    const seen = await Promise.all(${JSON.stringify(urls)}.map(async (url) => {
      const image = new Image()
      image.src = url
      await image.decode()
      const [width, height] = [Math.round(image.width / ${distance}), Math.round(image.height / ${distance})]
      const context = new OffscreenCanvas(width, height).getContext('2d')
      context.imageSmoothingQuality = 'high'
      context.drawImage(image, 0, 0, width, height)
      return { width, height, data: context.getImageData(0, 0, width, height).data }
    }))
    const [a, b] = seen
    if (a.width !== b.width || a.height !== b.height) return 1
    let off = 0
    for (let at = 0; at < a.data.length; at += 4) {
      if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > ${near})) off += 1
    }
    return off / (a.data.length / 4)
  })()`)
}
