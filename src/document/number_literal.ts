/** A fault of a number literal. */
export interface NumberFault {
  readonly message: string
  readonly hint: string
  readonly severity: 'error' | 'warning'
}

/**
 * Checks a number literal: integers beyond ±(2^53 − 1) would be rounded silently, infinity and NaN cannot be
 * represented in JSON, and leading zeros would be lost.
 */
export function checkNumber(value: number, source: string): NumberFault | undefined {
  const asText = `quote it to keep it as a string: "${source}"`
  if (!Number.isFinite(value))
    return { message: `${source} is not a finite number`, hint: asText, severity: 'error' }
  if (!/e/i.test(source.replace(/^0x.*/, '')) && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return {
      message: `${source} is too large to be represented exactly`,
      hint: `write a number up to ${Number.MAX_SAFE_INTEGER}, or ${asText}`,
      severity: 'error',
    }
  if (/^[-+]?0\d/.test(source))
    return { message: `${source} is read as the number ${value}`, hint: asText, severity: 'warning' }
  return undefined
}
