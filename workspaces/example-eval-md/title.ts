/**
 * The first line of a page.
 *
 * @eval
 * ---
 * system: "You write titles. Answer with the title alone."
 * ---
 * ## writes a title
 * ### Prompt
 * Write the title of a page about harbours.
 * ### Expect
 * The answer is a title that names `Harbours`.
 *
 * @param subject what the page is about
 */
export function title(subject: string): string {
  return subject.charAt(0).toUpperCase() + subject.slice(1)
}
