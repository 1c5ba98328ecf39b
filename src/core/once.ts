/** Makes a function that computes a value at the first call and keeps it. */
export function once<T>(compute: () => T): () => T {
  let found: { readonly value: T } | undefined
  return () => {
    found ??= { value: compute() }
    return found.value
  }
}
