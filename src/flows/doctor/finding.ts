/** One finding of doctor. */

/** ok: nothing to do; warning: something will not work or may mislead; missing: it is needed and absent. */
export interface DoctorFinding {
  name: string
  state: 'ok' | 'warning' | 'missing'
  detail: string
  /** How to fix it; null: nothing to fix. */
  fix: string | null
}
