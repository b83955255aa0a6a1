/** Checks of files. */
import * as z from 'zod'
import { outputPath, range, shared } from './shared.ts'

export const fileExistsCheck = z.strictObject({
  type: z.literal('file_exists'),
  path: z
    .string()
    .min(1)
    .describe('a path or glob, relative to the working folder, of a file that the agent created or changed'),
  ...shared,
})

export const fileAbsentCheck = z.strictObject({
  type: z.literal('file_absent'),
  path: outputPath.describe('a path or glob; the working folder must not contain such a file when the agent ends'),
  ...shared,
})

export const fileModifiedCheck = z.strictObject({
  type: z.literal('file_modified'),
  path: outputPath.describe('a path or glob of a file that existed before and that the agent changed'),
  ...shared,
})

export const fileHashCheck = z.strictObject({
  type: z.literal('file_hash'),
  path: outputPath.describe('a file that the agent created, changed or left as it was'),
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits'),
  ...shared,
})

export const fileCountCheck = z.strictObject({
  type: z.literal('file_count'),
  path: outputPath.describe('a glob; counts files that the agent created or changed'),
  count: range,
  ...shared,
})

export const fileSizeCheck = z.strictObject({
  type: z.literal('file_size'),
  path: outputPath.describe('a file that the agent created or changed'),
  bytes: range,
  ...shared,
})
