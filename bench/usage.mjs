// Preloaded into the measured program: writes at its exit how much CPU and memory it used.
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakBytes: maxRSS * 1024 }
    writeFileSync(process.env.PERF_USAGE_FILE, JSON.stringify(usage))
  })
}
