/** A number that does not mean what it says. */
export interface NumberFault {
  readonly message: string
  readonly hint: string
  readonly severity: 'error' | 'warning'
}

/**
 * Finds what is wrong with a number of a file: integers beyond ±(2^53 − 1) would be rounded without a word, infinity
 * and NaN cannot be sent, and leading zeros get lost.
 */
export function checkNumber(value: number, source: string): NumberFault | undefined {
  const asText = `put it in quotes to keep it as text: "${source}"`
  if (!Number.isFinite(value))
    return { message: `${source} is not a finite number`, hint: asText, severity: 'error' }
  if (!/e/i.test(source.replace(/^0x.*/, '')) && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return { message: `${source} is too large to be kept exactly`, hint: asText, severity: 'error' }
  if (/^[-+]?0\d/.test(source))
    return { message: `${source} is read as the number ${value}`, hint: asText, severity: 'warning' }
  return undefined
}
