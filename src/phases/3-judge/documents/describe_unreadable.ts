/** Says in one line why a file has no text to look at. */
import type { FileText } from './read_file_text.ts'

/** For example: report.xlsx could not be read: it is encrypted. */
export function describeUnreadable(name: string, read: Exclude<FileText, { status: 'text' }>): string {
  return `${name} could not be read: ${read.status === 'binary' ? 'it is not a text file' : read.reason}`
}
