/**
 * Wraps a search for leftovers so that each one is reported once: what a failed test has left behind fails that test
 * and not those after it.
 */
export function onlyNew<T extends string | number>(
  find: () => readonly T[] | Promise<readonly T[]>,
): () => Promise<T[]> {
  const reported = new Set<T>()
  return async () => {
    const found = (await find()).filter((one) => !reported.has(one))
    for (const one of found) reported.add(one)
    return found
  }
}
