/** The library: flows and types. */
export { UserError } from './base/error.ts'
