/**
 * Adds the name of a request header to the value of `Vary`, which names all headers that the response depends on.
 *
 * @see RFC 9110 clause 12.5.5
 */
export function addVary(value: string | undefined, name: string): string {
  const names = (value ?? '').split(',').map((one) => one.trim())
  const known = names.filter((one) => one !== '')
  if (known.includes('*')) return '*'
  return known.some((one) => one.toLowerCase() === name.toLowerCase())
    ? known.join(', ')
    : [...known, name].join(', ')
}
