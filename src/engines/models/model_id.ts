/** Model ids as gateways, clouds and releases write them, reduced to the id that price lists use. */

/** What may come before an id: the path of a provider, and the region and vendor of Bedrock. */
const before = /^(?:.*\/)?(?:(?:[a-z]{2,6}\.)?anthropic\.)?/
/** What may come after it: a context size, the version of a cloud, the date of a release, the newest of a family. */
const after = [/\[1m\]$/, /-v\d+(?::\d+)?$/, /[-@]20\d{6}$/, /-20\d\d-\d\d-\d\d$/, /-latest$/]

/** Without prefixes and suffixes that do not change the price. */
export function plainModelId(model: string): string {
  return after.reduce((id, suffix) => id.replace(suffix, ''), model.replace(before, ''))
}
