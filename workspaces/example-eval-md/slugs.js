/** The name of a page in an address. */
export const slug = (text) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
