/** What some tests need and a machine may lack: reported as skipped with the fix, or failed when WHETSTONE_REQUIRE_ALL=1. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'vitest'

export type Suite = (title: string, body: () => void) => void

/** The claude CLI that `npm run agents` installs; null when it is not there. */
export function claudeBinary(): string | null {
  return cliBinary('claude')
}

/** Where `npm run agents` puts the agent CLIs, and what they need besides. */
export const cliFolder = path.join(import.meta.dirname, '../.agent-clis/bin')

/** An agent CLI that `npm run agents` installs; null when it is not there. */
export function cliBinary(name: string): string | null {
  const file = path.join(cliFolder, name)
  return existsSync(file) ? file : null
}

/**
 * A `describe` for tests that need something: `needs('the claude CLI', claude !== null, 'npm run agents')('title', () => …)`.
 * Where it is absent the tests are reported as skipped, with reason and fix in the title; with WHETSTONE_REQUIRE_ALL=1
 * one test fails instead.
 */
export function needs(name: string, present: boolean, fix: string): Suite {
  if (present) return (title, body) => void describe(title, body)
  const reason = `needs ${name}; to get it: ${fix}`
  if (process.env.WHETSTONE_REQUIRE_ALL !== '1') {
    return (title, body) => {
      console.warn(`skipped: ${title}: ${reason}`)
      describe.skip(`${title} (${reason})`, body)
    }
  }
  return (title) =>
    void describe(title, () =>
      test(reason, () => {
        throw new Error(`${reason} (WHETSTONE_REQUIRE_ALL=1 allows no skipping)`)
      }),
    )
}
