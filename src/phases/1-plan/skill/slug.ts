/** Builds slugs: short names from a text's letters and digits, for folders and unnamed cases. */

/** Lower-case letters and digits of any script with single hyphens, at most `limit` characters; '' if there are none. */
export function slug(text: string, limit = 40): string {
  const words = text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-/, '')
  return [...words].slice(0, limit).join('').replace(/-$/, '')
}

/** Slug of the first `words` words of a text, at most 40 characters. */
export function slugOfFirstWords(text: string, words = 6): string {
  return slug(text.trim().split(/\s+/).slice(0, words).join(' '))
}
