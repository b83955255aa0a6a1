/** Resolves the files that a case attaches to its prompt: input files like all others, and images within the limits of providers. */
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { findFileImageType, imageLimits } from '../../../base/fs/image_type.ts'
import { type InputPlace, type NamedInput, placeInputs } from '../suite/input_files.ts'

type Attached = NonNullable<SuiteCase['attach']>

/** Returns the case's input files, attached ones included. Never throws: an unusable file becomes a reason. `at`: JSON path of the case. */
export async function placeCaseFiles(
  named: readonly NamedInput[],
  attach: readonly string[] | undefined,
  place: InputPlace & { at: string },
): Promise<{ given: Pick<SuiteCase, 'files' | 'attach'>; reasons: string[] }> {
  const { files, reasons } = await placeInputs(named, place)
  const asked = (attach ?? []).map((path, index) => ({ path, at: `${place.at}.attach[${index}]` }))
  const found = await placeInputs(asked, place, 'attached file')
  reasons.push(...found.reasons)
  const attached: Attached = []
  let left = imageLimits.total
  for (const file of found.files) {
    const isFile = file.kind === 'file'
    const image = isFile && (await findFileImageType(file.source)) !== null
    if (image) left -= file.bytes
    if (!isFile) reasons.push(`attached file ${file.path}: a folder: name its files, or put it into "files"`)
    else if (image && file.bytes > imageLimits.bytes)
      reasons.push(`attached file ${file.path}: an image above ${mebibytes(imageLimits.bytes)}: make it smaller`)
    else if (image && left < 0)
      reasons.push(`attached file ${file.path}: the images of a prompt are above ${mebibytes(imageLimits.total)}`)
    if (!files.some(({ path }) => path === file.path)) files.push(file)
    attached.push({ path: file.path, image })
  }
  return { given: { files, ...(attached.length > 0 && { attach: attached }) }, reasons }
}

function mebibytes(bytes: number): string {
  return `${bytes / 2 ** 20} MiB`
}
