/**
 * Wraps a search for leftovers so that each one is reported once: leftovers of a failed test do not fail later tests.
 */
export function onlyNew<T extends string | number>(
  find: () => readonly T[] | Promise<readonly T[]>,
): () => Promise<T[]> {
  const reported = new Set<T>()
  return async () => {
    const newOnes = (await find()).filter((one) => !reported.has(one))
    for (const one of newOnes) reported.add(one)
    return newOnes
  }
}
