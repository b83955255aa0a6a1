/** A copy of a page elsewhere: as index.html, with its data, and of an index with the pages that it leads to. */
import { copyFile, cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { messageOf, UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { ownFile } from '../../base/own_file.ts'

/** `withData`: what lies beside the page comes too. The copy's path, absolute. Throws UserError where nothing can be written. */
export async function publish(page: string, to: string, withData: boolean): Promise<string> {
  const copy = path.join(path.resolve(to), 'index.html')
  try {
    await copyPage(page, copy, withData)
    for (const name of isPage(page) ? [] : await linkedFrom(page)) {
      const source = ownFile(path.dirname(page), name)
      if (source !== null) await copyPage(source, path.join(path.dirname(copy), name), true)
    }
  } catch (error) {
    throw new UserError(
      `--static ${to}: ${messageOf(error)}`,
      'give a folder that you may write into; it is made if it is not there',
    )
  }
  return copy
}

/** Of runs, with data beside it; no index, no trend. */
function isPage(file: string): boolean {
  return path.basename(file).endsWith('report.html')
}

async function copyPage(page: string, copy: string, withData: boolean): Promise<void> {
  await mkdir(path.dirname(copy), { recursive: true })
  await copyFile(page, copy)
  const data = path.join(path.dirname(page), 'report.data')
  if (!withData || !isPage(page) || !(await exists(data))) return
  await cp(data, path.join(path.dirname(copy), 'report.data'), { recursive: true })
}

/** The pages below it, as an index of ours names them; the way into one of their tabs is left out. */
async function linkedFrom(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8')
  const addresses = [...text.matchAll(/<a href="([^"#:]+\.html)[#"]/g)].map(([, address = '']) => address)
  return [...new Set(addresses)]
    .map((address) => decodeURIComponent(address))
    .filter((name) => !path.isAbsolute(name) && !name.split(/[\\/]/).includes('..'))
}
