import { findHint } from '../core/suggest.ts'

/** A fault of the custom order of a lookup table. */
export interface OrderFault {
  /** Index of the wrong entry; undefined if an entry is missing. */
  readonly index?: number
  /** The key that is wrong or missing. */
  readonly key: string
  /** What is wrong with the key. */
  readonly fault: string
  readonly hint: string | undefined
}

/** Finds the faults of an order, which lists each key of the items once: wrong entries, or else missing keys. */
export function findOrderFaults(order: readonly string[], items: object): OrderFault[] {
  const keys = Object.keys(items)
  const [known, left] = [new Set(keys), new Set(keys)]
  const wrong = order.flatMap((key, index) => {
    if (left.delete(key)) return []
    if (known.has(key)) return [{ index, key, fault: 'is listed twice', hint: 'remove one of them' }]
    const hint = findHint(key, keys) ?? 'remove it, or add it to the items'
    return [{ index, key, fault: 'is not a key of the items', hint }]
  })
  if (wrong.length > 0) return wrong
  return [...left].map((key) => ({
    key,
    fault: 'is missing',
    hint: 'add it, or leave out the order for that of the items',
  }))
}
