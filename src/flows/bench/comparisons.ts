/** --whole-plugin and --alone: three configurations of one skill, compared pair by pair; each configuration runs once. */
import { UserError } from '../../base/errors/error.ts'
import type { BenchRequest } from '../prepare/prepare_bench.ts'

/** One benchmark of several of a skill: an engine of a matrix, or a pair of configurations. */
export interface Variant {
  /** As shown in the index. */
  text: string
  /** The variant's workspace folder; the same variant has the same folder each time. */
  folder: string
  change: Partial<BenchRequest>
}

interface ComparisonWish extends Pick<BenchRequest, 'among' | 'baseline' | 'until' | 'calibrate'> {
  wholePlugin?: boolean | undefined
  alone?: boolean | undefined
  matrix: string | null
}

/** In the order in which they run; empty: one comparison only. Throws UserError for settings that exclude each other. */
export function listComparisons(asked: ComparisonWish): Variant[] {
  const { wholePlugin = false, alone = false, among = [] } = asked
  if (alone && among.length === 0) throw new UserError('--alone without --among', 'name the other skills with --among')
  if (!wholePlugin && !alone) return []
  const flag = wholePlugin ? '--whole-plugin' : '--alone'
  if (wholePlugin && alone)
    throw new UserError('--whole-plugin with --alone', 'benchmark the plugin and the neighbours one after the other')
  for (const [name, given] of Object.entries({
    '--matrix': asked.matrix !== null,
    '--baseline': asked.baseline !== null,
    '--until': Boolean(asked.until),
    '--calibrate': asked.calibrate === true,
  })) {
    if (given)
      throw new UserError(
        `${flag} with ${name}: ${flag} compares three configurations of one version on one engine, each with a fixed number of runs`,
        `leave out ${name}, or ${flag}`,
      )
  }
  if (wholePlugin) return buildComparisons('whole plugin', { kind: 'plugin' })
  return buildComparisons('with neighbours', { kind: 'neighbours', among }, { among: [] })
}

type Wish = { kind: 'plugin' } | { kind: 'neighbours'; among: readonly string[] }

/** The first has all runs but those of the third configuration; the last has none of its own. */
function buildComparisons(name: string, wish: Wish, change: Partial<BenchRequest> = {}): Variant[] {
  const folder = name.replace(' ', '-')
  return [
    { text: 'skill alone against none', folder: 'skill-alone', change: { ...change, addition: null } },
    { text: `${name} against none`, folder, change: { ...change, addition: { ...wish, against: 'without_skill' } } },
    {
      text: `${name} against skill alone`,
      folder: `${folder}-and-skill-alone`,
      change: { ...change, addition: { ...wish, against: 'skill_alone' } },
    },
  ]
}
