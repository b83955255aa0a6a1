/** A bundle that is not what its name says, or not there. */

/** `at`: the path in the bundle; null: the list of what it holds. */
export interface Damage {
  bundle: string
  at: string | null
  /** Where the unfit bytes lie. */
  place: string
  problem: 'missing' | 'damaged'
}

/** Says which file of which bundle is unfit, and where. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
  readonly damage: Damage

  constructor(damage: Damage) {
    const { bundle, at, place, problem } = damage
    const what = at === null ? 'its list of files' : at
    const how = problem === 'missing' ? 'is not there' : 'is not what its hash says'
    super(`bundle ${bundle}: ${what} ${how} (${place})`)
    this.damage = damage
  }
}
