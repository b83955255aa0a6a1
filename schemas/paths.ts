/** Paths that stay in a folder: what a record or a plan names is joined to a folder of ours, and may come from anybody. */
import { z } from 'zod'

/** Of a file or folder in a folder, with /. Any name that a system allows is one: with dots, a backslash or a line break in it. */
export const pathBelow = z
  .string()
  .regex(/^(?!\/|\.\/*$|(?:[\s\S]*\/)?\.\.(?:\/|$))[^\0]+$/, 'must be a relative path below the folder')

/** The same, or `.`: the folder itself. */
export const withinForm = /^(?!\/|(?:[\s\S]*\/)?\.\.(?:\/|$))[^\0]+$/
export const pathWithin = z.string().regex(withinForm, 'must be a relative path within the folder')
