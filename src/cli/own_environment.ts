/** The user's environment as it is now. (Of the living one each look at a name is a call of the system; Windows needs that one, which takes names in any case.) */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return process.platform === 'win32' ? process.env : { ...process.env }
}
