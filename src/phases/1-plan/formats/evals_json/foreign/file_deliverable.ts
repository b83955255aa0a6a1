/** Decides whether the files that a run leaves are what a case asks for, not the answer alone. */
import { type FieldReader, openFieldReader } from '../fields.ts'

/** Fields of other tools that list the files a run should leave. */
const outputFileNames = [
  'output_file',
  'output_files',
  'expected_file',
  'expected_files',
  'expected_output_file',
  'expected_output_files',
  'files_created',
  'expected_artifacts',
  'artifacts',
  'deliverables',
]

/**
 * Why files are the deliverable: the case has a field for output files, or its prompt or expected output says to write one.
 * null: nothing says so. Reads from a copy of the fields.
 */
export function findFileDeliverable(fields: FieldReader, prompt: string | null): string | null {
  const values = Object.fromEntries(fields.rest().map(({ key, value }) => [key, value]))
  const listed = openFieldReader(values, '').take(outputFileNames, isFilled)
  if (listed !== null) return `the case has "${listed.key}"`
  return saysToWrite(prompt) ? 'the prompt asks for a file' : null
}

/** Whether a sentence has a verb of writing and, after it, the word "file" or the name of one. */
export function saysToWrite(text: string | null): boolean {
  return text !== null && writing.test(text)
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== false && value !== ''
}

const verbs =
  'writ(?:e|es|ing|ten)|sav(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|generat(?:e|es|ed|ing)|produc(?:e|es|ed|ing)|export(?:s|ed|ing)?|stor(?:e|es|ed|ing)|add(?:s|ed|ing)?|edit(?:s|ed|ing)?|updat(?:e|es|ed|ing)|implement(?:s|ed|ing)?'
const endings =
  'md|txt|csv|tsv|jsonl?|ya?ml|toml|xml|html?|css|scss|[cm]?[jt]sx?|py|ipynb|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|sql|vue|svelte|tf|pdf|docx?|xlsx?|pptx?|svg|png|jpe?g'
/** The end of a sentence parts them: a full stop with a space, but not the one in a file's name. */
const between = '(?:(?![.!?]\\s|\\n\\n)[\\s\\S]){0,120}?'
const writing = new RegExp(`\\b(?:${verbs})\\b${between}(?:\\bfiles?\\b|[\\w)}\\]-]\\.(?:${endings})\\b)`, 'i')
