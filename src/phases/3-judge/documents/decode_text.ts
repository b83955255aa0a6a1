/** Decodes the bytes of a text file: UTF-8, UTF-16 or Windows-1252 (Latin-1). */

/** The text without a byte order mark; null: the bytes are not text. */
export function decodeText(bytes: Buffer): string | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return decodeWhole('utf-16le', bytes)
  if (first === 0xfe && second === 0xff) return decodeWhole('utf-16be', bytes)
  if (bytes.includes(0)) return decodeUnmarkedUtf16(bytes)
  return decodeWhole('utf-8', bytes) ?? withoutControls(decodeWindows1252(bytes))
}

/** Where Windows-1252 differs from Latin-1, from 0x80 on; Node 20's own decoder ignores the difference. A blank: no character. */
const windows1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

/** null: a byte is no character. */
function decodeWindows1252(bytes: Buffer): string | null {
  let known = true
  const text = bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (found) => {
    const character = windows1252.charAt(found.charCodeAt(0) - 0x80)
    if (character === ' ') known = false
    return character
  })
  return known ? text : null
}

function decodeWhole(encoding: string, bytes: Buffer): string | null {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return text.includes('\u0000') ? null : text
  } catch {
    return null
  }
}

/** Without a mark, only if at least half of its characters are Latin, and none is a control character. */
function decodeUnmarkedUtf16(bytes: Buffer): string | null {
  const zeros = [0, 0]
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const half = bytes.length / 4
  if (even === 0 && odd >= half) return withoutControls(decodeWhole('utf-16le', bytes))
  return odd === 0 && even >= half ? withoutControls(decodeWhole('utf-16be', bytes)) : null
}

/** null: it has control characters that no text has, so it is something else. */
function withoutControls(text: string | null): string | null {
  return text !== null && /[^\P{Cc}\t\n\r\f]/u.test(text) ? null : text
}
