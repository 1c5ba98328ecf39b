/** Decimals that are shown of degrees: a tenth of a metre. */
const degreeDecimals = 6
const metreDecimals = 2

/**
 * Shortens Well-Known Text for people: numbers to what can be meant, and of several positions the first one with how many
 * there are: `POLYGON ((10.1 59.2, …)) 231 positions`.
 */
export function shortenWkt(wkt: string, isLonLat: boolean): string {
  const decimals = isLonLat ? degreeDecimals : metreDecimals
  const [, type = '', brackets = '', first = ''] = /^([A-Z]+(?: Z)?) ?(\(*)([^,()]*)/.exec(wkt) ?? []
  if (brackets === '') return wkt
  const position = first
    .trim()
    .split(/\s+/)
    .map((text) => roundTo(text, decimals))
    .join(' ')
  // Every position but the first follows a comma, whatever it is the first of.
  const count = wkt.split(',').length
  const closing = ')'.repeat(brackets.length)
  if (count === 1) return `${type} ${brackets}${position}${closing}`
  return `${type} ${brackets}${position}, …${closing} ${count} positions`
}

const roundTo = (text: string, decimals: number) => String(Number(Number(text).toFixed(decimals)))
