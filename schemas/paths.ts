/** Paths that stay in a folder: a path in a record or a plan is joined to one of Whetstone's folders, and may come from anybody. */
import * as z from 'zod'

/** A path of something below a folder, with /. It may have any name that a system allows: with dots, a backslash or a line break in it. */
export const pathBelow = z
  .string()
  .regex(/^(?!\/|\.\/*$|(?:[\s\S]*\/)?\.\.(?:\/|$))[^\0]+$/, 'must be a relative path below the folder')

/** As `pathBelow`, or `.`: the folder itself. */
export const withinForm = /^(?!\/|(?:[\s\S]*\/)?\.\.(?:\/|$))[^\0]+$/
export const pathWithin = z.string().regex(withinForm, 'must be a relative path within the folder')
