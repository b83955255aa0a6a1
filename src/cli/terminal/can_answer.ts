/** Detects whether a person can answer: a terminal on both sides, and no CI. */

export function canAnswer(how: { json: boolean; yes: boolean }): boolean {
  const { CI = '' } = process.env
  return !how.json && !how.yes && (CI === '' || CI === 'false') && process.stdin.isTTY && process.stderr.isTTY
}
