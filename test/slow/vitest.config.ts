import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** `npm run test:slow`: seeded simulations of the statistics, a few minutes on two cores. */
export default defineConfig({
  root: path.dirname(path.dirname(import.meta.dirname)),
  test: {
    globalSetup: 'test/temporary_folder.ts',
    include: ['test/slow/*.slow.ts'],
    testTimeout: 600_000,
    pool: 'forks',
    maxWorkers: 2,
    disableConsoleIntercept: true,
  },
})
