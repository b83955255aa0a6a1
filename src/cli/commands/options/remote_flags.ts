/** The flags with which features execute runs on other machines; without such a feature all runs execute here. */
import type { Argv } from 'yargs'
import type { Fleet } from '../../../../schemas/fleet.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { RemoteExecution } from '../../../flows/prepare/remote_execution.ts'
import type { Flags } from './flag.ts'

/** Watches until disposed of. `now`: the current state; if it can't be read, the last one with the problem. */
export type WatchFleet = (context: FlowContext) => Promise<{ now(): Promise<Fleet> } & AsyncDisposable>

/** `parsed`: the values of all flags of the command. Both functions throw UserError, and return null if the flags name no machines. */
export interface RemoteMachines {
  /** Of the commands that run benchmarks. */
  flags: Flags
  open(parsed: object, env: NodeJS.ProcessEnv): RemoteExecution | null
  /** Of `view`, which shows the machines. */
  viewFlags: Flags
  watch(parsed: object, env: NodeJS.ProcessEnv): WatchFleet | null
}

const machines: Record<string, RemoteMachines> = {}

/** Adds those of features; again changes nothing. */
export function addRemoteMachines(more: Readonly<Record<string, RemoteMachines>>): void {
  Object.assign(machines, more)
}

export function listRemoteFlags(): Flags {
  return Object.assign({}, ...Object.values(machines).map(({ flags }) => flags))
}

export function addRemoteFlags<T>(args: Argv<T>): Argv<T> {
  args.options(listRemoteFlags())
  return args
}

/** Adds the flags to `view`. */
export function addFleetFlags<T>(args: Argv<T>): Argv<T> {
  for (const { viewFlags } of Object.values(machines)) args.options(viewFlags)
  return args
}

/** null: runs execute here. Throws UserError. */
export function openRemote(parsed: object, env: NodeJS.ProcessEnv): RemoteExecution | null {
  return findFirst(({ open }) => open(parsed, env))
}

/** null: the page shows no machines. Throws UserError. */
export function openFleet(parsed: object, env: NodeJS.ProcessEnv): WatchFleet | null {
  return findFirst(({ watch }) => watch(parsed, env))
}

function findFirst<R>(find: (one: RemoteMachines) => R | null): R | null {
  return (
    Object.values(machines)
      .map(find)
      .find((one) => one !== null) ?? null
  )
}
