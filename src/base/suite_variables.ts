/** The environment variables that a suite may set for its runs, and those that it may not: they would open what holds a run. */

/**
 * In any case of letters: where a run's home, programs and folders are; through whom, and trusting whom, it reaches the network; what
 * is loaded into a program before it begins, also into those that run outside of the sandbox (git, the sandbox's own); what an
 * engine and a provider's client are told.
 */
const kept = [
  'HOME|PATH|USERPROFILE|TMPDIR|TMP|TEMP|SHELL|SYSTEMROOT|IS_SANDBOX|CLAUDECODE|XDG_\\w+|WHETSTONE_\\w+',
  '\\w*_PROXY|SSL_CERT_\\w+|SSLKEYLOGFILE|OPENSSL_\\w+|\\w*CA_?(BUNDLE|CERTS?|INFO|FILE|PATH)\\w*|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS',
  'LD_\\w+|DYLD_\\w+|GLIBC_\\w+|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_\\w+|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|ZDOTDIR|IFS|PS4',
  'NODE_\\w+|BUN_\\w+|DENO_\\w+|PYTHON(STARTUP|PATH|HOME|USERBASE)|PERL5?(LIB|OPT|DB)|RUBY(LIB|OPT)|_?JAVA_(TOOL_)?OPTIONS|JDK_JAVA_OPTIONS',
  'GIT_\\w+|SSH_\\w+|(ANTHROPIC|OPENAI|CODEX|CLAUDE|GEMINI|AWS|GOOGLE|AZURE|OPENCODE)_\\w+',
]
const reserved = new RegExp(`^(${kept.join('|')})$`, 'i')

/** Of those families, but harmless, and set by many suites. */
const harmless = /^(NODE_ENV|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL))$/

/** The variables of a suite that a run gets, and the names of those that it does not. */
export function suiteVariables(env: Readonly<Record<string, string>> = {}): {
  set: Record<string, string>
  refused: string[]
} {
  const entries = Object.entries(env)
  const isRefused = (name: string) => !/^[A-Za-z_]\w*$/.test(name) || (reserved.test(name) && !harmless.test(name))
  return {
    set: Object.fromEntries(entries.filter(([name]) => !isRefused(name))),
    refused: entries.flatMap(([name]) => (isRefused(name) ? [name] : [])),
  }
}
