/** A bundle that is missing or does not match its name. */

/** `at`: the path in the bundle; null: its list of files. */
export interface BundleDamage {
  bundle: string
  at: string | null
  /** Path of the damaged bytes. */
  place: string
  problem: 'missing' | 'damaged'
}

/** Names the damaged file of the bundle, and where it is. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
  readonly damage: BundleDamage

  constructor(damage: BundleDamage) {
    const { bundle, at, place, problem } = damage
    const what = at === null ? 'its list of files' : at
    const how = problem === 'missing' ? 'is missing' : 'does not match its hash'
    super(`bundle ${bundle}: ${what} ${how} (${place})`)
    this.damage = damage
  }
}
