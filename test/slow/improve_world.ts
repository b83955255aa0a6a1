/** A landscape of edits with known truth: what a skill can do on each case is known, and an edit changes it by a known amount. */
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'

type EditKind = 'helpful' | 'null' | 'harmful'

/** Shares of the kinds among the proposals, fixed before anything was simulated. */
export const mixes = {
  usual: { helpful: 0.25, null: 0.5, harmful: 0.25 },
  treacherous: { helpful: 0.1, null: 0.4, harmful: 0.5 },
  /** Nearly nothing does harm: to take whatever scores higher is hard to beat here. */
  'favours the strict loop': { helpful: 0.5, null: 0.45, harmful: 0.05 },
} satisfies Record<string, Record<EditKind, number>>

export type Mix = Record<EditKind, number>

/** The true chance of each case, by split. */
export interface Skill {
  train: readonly number[]
  validation: readonly number[]
  test: readonly number[]
}

const sizes = { train: 12, validation: 20, test: 20 }

const clip = (value: number) => Math.min(0.97, Math.max(0.03, value))

/** v0: cases of every difficulty, with room above. */
export function firstSkill(random: Random): Skill {
  const chances = (count: number) => Array.from({ length: count }, () => clip(0.1 + 0.6 * random()))
  return { train: chances(sizes.train), validation: chances(sizes.validation), test: chances(sizes.test) }
}

export interface Edit {
  kind: EditKind
  /** Mean change over the cases before it meets 0 and 1. */
  effect: number
  seed: number
}

/** Helpful and harmful ones do 5 to 30 points. */
export function drawEdit(random: Random, mix: Mix): Edit {
  const lot = random()
  const size = 0.05 + 0.25 * random()
  const seed = Math.floor(random() * 2 ** 31)
  if (lot < mix.helpful) return { kind: 'helpful', effect: size, seed }
  if (lot < mix.helpful + mix.harmful) return { kind: 'harmful', effect: -size, seed }
  return { kind: 'null', effect: 0, seed }
}

/** Cases take more or less of an edit; of a null edit none takes anything. The same edit on the same skill does the same. */
export function applyEdit(skill: Skill, { effect, seed }: Edit): Skill {
  if (effect === 0) return skill
  const random = createSeededRandom(seed)
  const changed = (chances: readonly number[]) => chances.map((chance) => clip(chance + effect * 2 * random()))
  return { train: changed(skill.train), validation: changed(skill.validation), test: changed(skill.test) }
}

export const meanOf = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
