/** 100,000 characters; random, so that they do not shrink: three of them fill the page. */
export function filling(seed: number): string {
  let state = seed + 1
  return Array.from({ length: 100_000 }, () => {
    state = (state * 48271) % 2147483647
    return String.fromCharCode(33 + (state % 90))
  }).join('')
}
