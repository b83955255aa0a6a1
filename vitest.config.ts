import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that are small and take long: those of the agent CLIs. Begun last, they would run alone at the end. */
const isLong = ({ moduleId }: TestSpecification) => /(contract|real)_\w+\.test\.ts$/.test(moduleId)
const isTogether = ({ project }: TestSpecification) => project.name === 'together'

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const alone = sorted.filter((file) => !isTogether(file))
    // a process goes on with the next file only if that is of its kind
    return [...alone.filter(isLong), ...sorted.filter(isTogether), ...alone.filter((file) => !isLong(file))]
  }
}

/** Of these many share a process, which loads the source once: they leave nothing behind in it. */
const together = [
  ...['phases', 'schemas', 'store', 'practice', 'cli', 'interop', 'viewer'].map((one) => `test/${one}/**/*.test.ts`),
  'test/flows/!(queue)/**/*.test.ts',
  'test/flows/*.test.ts',
  'test/engines/!(contract_*).test.ts',
  'test/e2e/**/*.test.ts',
]

const each = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
  pool: 'forks',
} as const

export default defineConfig({
  test: {
    globalSetup: 'test/temporary_folder.ts',
    maxWorkers: 3, // a third of the time of two they wait
    sequence: { sequencer: LongFirst },
    projects: [
      { test: { ...each, name: 'alone', include: ['test/**/*.test.ts'], exclude: together } },
      { test: { ...each, name: 'together', include: together, isolate: false } },
    ],
  },
})
