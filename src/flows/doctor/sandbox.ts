/** What doctor finds about isolation: whether a sandbox works, and whether it can limit processes. */
import { probeSandbox } from '../../base/sandbox/choose.ts'
import { detectProcessLimit, type ProcessLimit } from '../../base/sandbox/process_limit.ts'
import type { FlowContext } from '../flow_context.ts'
import type { DoctorFinding } from './finding.ts'

export async function checkSandbox({ env }: Pick<FlowContext, 'env'>): Promise<DoctorFinding[]> {
  const found = await probeSandbox(env.PATH ?? '')
  if (found.ok)
    return [{ name: 'sandbox', state: 'ok', detail: found.detail, fix: null }, limitFinding(detectProcessLimit())]
  const detail = `none: agents run as you, and can read and change what you can (${found.message})`
  const fix = `${found.fix}; until then bench what you do not trust in a container or a virtual machine`
  return [{ name: 'sandbox', state: 'warning', detail, fix }]
}

function limitFinding(limit: ProcessLimit): DoctorFinding {
  const name = 'process limit'
  switch (limit.kind) {
    case 'cgroup':
      return { name, state: 'ok', detail: `a pids cgroup for each sandbox, below ${limit.folder}`, fix: null }
    case 'user':
      return { name, state: 'ok', detail: 'by user, in the namespace of each sandbox', fix: null }
    case 'none':
      return { name, state: 'warning', detail: `none, so a fork bomb is not stopped: ${limit.why}`, fix: limit.fix }
  }
}
