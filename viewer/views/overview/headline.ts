/** Parts of the sentences that the terminal shows too, so that the page can say each number once. */

interface Headline {
  verdict: string
  /** "4 cases × 3 runs"; empty: the headline does not end with its sample. */
  sample: string
  advice: string
}

/** `withoutRates`: they are shown next to the headline. */
export function splitHeadline(headline: string, withoutRates: boolean): Headline {
  const end = headline.indexOf(').')
  if (end < 0) return { verdict: headline, sample: '', advice: '' }
  const start = headline.lastIndexOf(' (', end)
  const sentence = headline.slice(0, start)
  return {
    verdict: withoutRates ? sentence.replace(/: pass rate .*?: (?=[+-]\d)/, ': ') : sentence,
    sample: headline.slice(start + 2, end),
    advice: headline.slice(end + 2).trim(),
  }
}

export function isSimilarCases(sentence: string): boolean {
  return sentence.startsWith('Similar cases:')
}

export function isUnreadNote(sentence: string): boolean {
  return /^The (skill|new version) was not read in /.test(sentence)
}

/** The sentence on similar cases without its verdict and its difference: "95% CI [39, 84], p < 0.001 (8 cases)." */
export function withoutVerdict(sentence: string): string {
  const text = sentence.replace(/^Similar cases: [^,.]*, /, '').replace(/^[+-][\d.]+ points, /, '')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
