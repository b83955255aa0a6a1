import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests of the agent CLIs: small files that take long. Started last, they would run alone at the end. */
const isLong = ({ moduleId }: TestSpecification) => /(contract|real)_\w+\.nightly\.test\.ts$/.test(moduleId)

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** Start the program, or need a browser, a queue server or a sandbox. */
const system = '.system.test.ts'
/** Need a real agent CLI, the package registry or PostgreSQL, kill or race processes, or take more than a minute. */
const nightly = '.nightly.test.ts'

const each = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks' as const,
  setupFiles: ['test/costs/measure.ts', 'test/features/add_features.ts'],
}

/** `npm test` runs the quick ones, `npm run test:system` the others. */
export default defineConfig({
  test: {
    globalSetup: 'test/temporary_folder.ts',
    reporters: ['default', './test/costs/report_costs.ts'],
    maxWorkers: 3, // a third of the time of two they wait
    sequence: { sequencer: LongFirst },
    projects: [
      // files of a project share processes, which load the source once: they leave nothing behind in their process
      {
        test: {
          ...each,
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [`**/*${system}`, `**/*${nightly}`],
          isolate: false,
        },
      },
      { test: { ...each, name: 'system', include: [`test/**/*${system}`], isolate: false } },
      { test: { ...each, name: 'nightly', testTimeout: 600_000, include: [`test/**/*${nightly}`] } },
    ],
  },
})
