/** Splits a shell command into the words of its simple commands, with enough grammar to tell which programs start. */

/** Operators and redirections, white space, comments, quoted parts, escaped characters, or one character. */
const tokens =
  /&>>?|\d*[<>]{1,3}&?|[;&|()`\n]|\$\(|\\\n|[^\S\n]+|(?<=^|\s)#[^\n]*|'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\\[\s\S]|[\s\S]/g

/**
 * Removes quotes and backslashes, redirections and here-documents; `$(…)` and backquotes are separate commands.
 * Linear in the length of any text.
 */
export function parseShellCommands(text: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  let word: string | null = null
  let isTarget = false
  const endWord = () => {
    if (word === null) return
    if (!isTarget) words.push(word)
    isTarget = false
    word = null
  }
  const endCommand = () => {
    endWord()
    isTarget = false
    if (words.length > 0) commands.push(words)
    words = []
  }
  for (const [token] of withoutDocuments(text).matchAll(tokens)) {
    if (/^(?:&>|\d*[<>])/.test(token)) {
      endWord()
      isTarget = true
    } else if (/^(?:[;&|()`\n]|\$\()/.test(token)) endCommand()
    else if (/^(?:\s|\\\n|#.)/.test(token)) endWord()
    else word = (word ?? '') + unquoteToken(token)
  }
  endCommand()
  return commands
}

function unquoteToken(token: string): string {
  if (token.length > 1 && token.startsWith("'")) return token.slice(1, -1)
  if (token.length > 1 && token.startsWith('"')) return token.slice(1, -1).replaceAll(/\\([\\"$`])/g, '$1')
  return token.startsWith('\\') ? token.slice(1) : token
}

/** The content of a here-document is not a command. */
function withoutDocuments(text: string): string {
  let ends: string[] = []
  const lines = text.split('\n').filter((line) => {
    const [end] = ends
    if (end !== undefined) {
      if (line.trim() === end) ends = ends.slice(1)
      return false
    }
    ends = [...line.matchAll(/(?<!<)<<-?\s*(['"]?)(\w+)\1/g)].map(([, , tag = '']) => tag)
    return true
  })
  return lines.join('\n')
}
