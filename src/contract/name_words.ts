/** Letters without accents and case, which few readers type. */
export function foldName(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

/** Splits what a reader types to find names into folded words, each of which a name has to contain. */
export function wordsOfSearch(text: string): string[] {
  return foldName(text)
    .split(/\s+/)
    .filter((word) => word !== '')
}
