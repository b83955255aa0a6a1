/** Makes characters visible that act on a terminal or change how the text around them reads. */

/**
 * Shows control characters (including OSC, CSI and other escape sequences), bidi controls and invisible characters as their code,
 * such as ⟨U+202E⟩. Line ends and tabs stay; a carriage return without a line feed, which overwrites a line, does not.
 */
export function makeVisible(text: string): string {
  return text.replaceAll(hiddenCharacters, characterCode)
}

/** makeVisible for terminal controls only, for texts that are quoted and searched: other invisible characters stay. */
export function withVisibleControls(text: string): string {
  return text.replaceAll(controls, characterCode)
}

function characterCode(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}

const controls = /(?![\n\t]|\r\n)\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu
const hiddenCharacters = new RegExp(`${controls.source}|[\u200B\u2028\u2029\u2060-\u2065\uFEFF]`, 'gu')

/** The code of one character, as makeVisible writes it. */
export const visibleCode = /⟨U\+[0-9A-F]{4,6}⟩/g
