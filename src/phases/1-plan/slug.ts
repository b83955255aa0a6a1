/** Slugs: short names made of a text's letters and digits, for folders and for cases without a name. */

/** Lower case letters and digits of any script with single hyphens between, at most `limit` characters; '' when there are none. */
export function slug(text: string, limit = 40): string {
  const words = text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-/, '')
  return [...words].slice(0, limit).join('').replace(/-$/, '')
}

/** The slug of the first words of a text that fit into `limit` characters. */
export function slugOfFirstWords(text: string, words = 6): string {
  return slug(text.trim().split(/\s+/).slice(0, words).join(' '))
}
