/** Copies the environment, since each read of the live one is a system call; Windows keeps the live one, which ignores case. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return process.platform === 'win32' ? process.env : { ...process.env }
}
