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

/** Whether the table of configurations shows the numbers of this note, or the banner of what is missing. */
export function isShownElsewhere(note: string): boolean {
  return (
    /^With .+ runs take [\d.]+× the /.test(note) || /^\d+ of \d+ planned runs? (?:is|are) not in the rates: /.test(note)
  )
}

/** The sentence on a benchmark that is incomplete without the counts that the chips below it show. */
export function withoutReasons(sentence: string): string {
  const start = /; excluded: |; \d+ without criteria by design|\. In graded runs /.exec(sentence)?.index
  const end = sentence.lastIndexOf('. Read the numbers')
  return start === undefined || end < start ? sentence : sentence.slice(0, start) + sentence.slice(end)
}

/**
 * The sentence on similar cases without its verdict, its difference and the number of cases that the headline's `sample` has:
 * "95% CI [39, 84], p < 0.001."
 */
export function withoutVerdict(sentence: string, sample: string): string {
  const [, cases = ''] = /^(\d+ cases?)\b/.exec(sample) ?? []
  const text = sentence
    .replace(/^Similar cases: [^,.]*, /, '')
    .replace(/^[+-][\d.]+ points, /, '')
    .replace(` (${cases})`, '')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
