import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests of the agent CLIs: small files that take long. Started last, they would run alone at the end. */
const isLong = ({ moduleId }: TestSpecification) => /(contract|real)_\w+\.nightly\.test\.ts$/.test(moduleId)
const isShared = ({ project }: TestSpecification) => project.config.isolate === false

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const alone = sorted.filter((file) => !isShared(file))
    // a process goes on with the next file only if that is of its kind
    return [...alone.filter(isLong), ...sorted.filter(isShared), ...alone.filter((file) => !isLong(file))]
  }
}

/** Folders whose test files share processes, which load the source once: these files leave nothing behind in their process. */
const shared = [
  ...['phases', 'schemas', 'store', 'practice', 'cli', 'interop', 'viewer'].map((one) => `test/${one}/**/*`),
  'test/flows/!(queue)/**/*',
  'test/flows/*',
  'test/engines/**/!(contract_*)',
  'test/e2e/**/*',
]
const tests = (places: readonly string[], ending: string) => places.map((one) => `${one}${ending}`)

/** Start the program, or need a browser, a queue server or a sandbox. */
const system = '.system.test.ts'
/** Need a real agent CLI, the package registry or PostgreSQL, kill or race processes, or take more than a minute. */
const nightly = '.nightly.test.ts'

const each = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks',
  setupFiles: 'test/costs/measure.ts',
} as const

/** `npm test` runs the quick ones, `npm run test:system` the others. */
export default defineConfig({
  test: {
    globalSetup: 'test/temporary_folder.ts',
    reporters: ['default', './test/costs/report_costs.ts'],
    maxWorkers: 3, // a third of the time of two they wait
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          ...each,
          name: 'quick',
          include: tests(shared, '.test.ts'),
          exclude: [`**/*${system}`, `**/*${nightly}`],
          isolate: false,
        },
      },
      {
        test: {
          ...each,
          name: 'quick-alone',
          include: ['test/**/*.test.ts'],
          exclude: [...tests(shared, '.test.ts'), `**/*${system}`, `**/*${nightly}`],
        },
      },
      { test: { ...each, name: 'system', include: tests(shared, system), isolate: false } },
      {
        test: { ...each, name: 'system-alone', include: [`test/**/*${system}`], exclude: tests(shared, system) },
      },
      { test: { ...each, name: 'nightly', testTimeout: 600_000, include: [`test/**/*${nightly}`] } },
    ],
  },
})
