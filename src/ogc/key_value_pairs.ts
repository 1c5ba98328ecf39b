/** Parameters of a request by their names in capital letters. */
export type Parameters = ReadonlyMap<string, string>

/** Collects parameters; of a repeated one the last counts. */
export function collectParameters(pairs: Iterable<readonly [string, string]>): Parameters {
  return new Map([...pairs].map(([name, value]) => [name.toUpperCase(), value]))
}

/** Returns the parameters of a URL, of a request that was not parsed. */
export function parametersOfUrl(url: string): Parameters {
  const at = url.indexOf('?')
  return collectParameters(at < 0 ? [] : new URLSearchParams(url.slice(at + 1)))
}
